"""tf.contrib.learn.preprocessing: vocabularies, and text as rows of word ids or bytes."""
from legacy_towers.compat.tf1.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary
from legacy_towers.compat.tf1.contrib.learn.preprocessing.text import (
    TOKENIZER_RE,
    ByteProcessor,
    VocabularyProcessor,
    tokenizer,
)

__all__ = ["ByteProcessor", "CategoricalVocabulary", "TOKENIZER_RE", "VocabularyProcessor", "tokenizer"]
