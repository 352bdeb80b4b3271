"""tf.contrib.learn.preprocessing: words as numbers."""
from legacy_towers.oldtf.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary
from legacy_towers.oldtf.contrib.learn.preprocessing.text import (
    TOKENIZER_RE,
    ByteProcessor,
    VocabularyProcessor,
    tokenizer,
)

__all__ = ["ByteProcessor", "CategoricalVocabulary", "TOKENIZER_RE", "VocabularyProcessor", "tokenizer"]
