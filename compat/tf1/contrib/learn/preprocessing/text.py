"""VocabularyProcessor and ByteProcessor: documents as rows of word ids or of bytes."""
import pickle
import re
from typing import Any, Callable, Iterable, Iterator, List, Optional

import numpy as np

from legacy_towers.compat.tf1.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary
from legacy_towers.compat.versions import tf

# Words in capitals, parts of CamelCase, and runs of letters, digits, hyphens and apostrophes.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[List[str]]:
    """Yields the words of each document."""
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class ByteProcessor:
    """Maps documents to rows of `max_document_length` bytes, padded with zeros."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """Does nothing: bytes need no vocabulary."""

    def fit_transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """Yields the rows of `transform`."""
        return self.transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """Yields a uint8 array [max_document_length] for each document."""
        for document in x:
            data = document.encode("utf-8") if isinstance(document, str) else bytes(document)
            row = np.zeros(self.max_document_length, np.uint8)
            part = np.frombuffer(data[: self.max_document_length], np.uint8)
            row[: len(part)] = part
            yield row

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """Yields the text of each row, "" where the bytes are not valid UTF-8."""
        for data in x:
            try:
                yield np.trim_zeros(np.asarray(data).astype(np.uint8), trim="b").tobytes().decode("utf-8")
            except UnicodeDecodeError:
                yield ""


class VocabularyProcessor:
    """Maps documents to rows of `max_document_length` word ids, padded with zeros.

    Args:
      min_frequency: words with this frequency or less are unknown (id 0); 0 keeps all.
      vocabulary: a CategoricalVocabulary; a new one by default.
      tokenizer_fn: documents -> lists of words.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: Any = None,
        tokenizer_fn: Optional[Callable[[Iterable[Any]], Iterable[Any]]] = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary if vocabulary else CategoricalVocabulary()
        self._tokenizer = tokenizer_fn if tokenizer_fn else tokenizer

    def fit(self, raw_documents: Iterable[Any], unused_y: Any = None) -> "VocabularyProcessor":
        """Builds the vocabulary from the documents and freezes it."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[Any], unused_y: Any = None) -> Iterator[Any]:
        """Builds the vocabulary and yields the rows of `transform`."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[Any]) -> Iterator[Any]:
        """Yields an int64 array [max_document_length] for each document."""
        for tokens in self._tokenizer(raw_documents):
            ids = [self.vocabulary_.get(token) for _, token in zip(range(self.max_document_length), tokens)]
            row = np.zeros(self.max_document_length, np.int64)
            row[: len(ids)] = ids
            yield row

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Yields the words of each row, separated by spaces."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(word_id) for word_id in row)

    def save(self, filename: str) -> None:
        """Writes the processor to `filename` as a pickle."""
        with tf.gfile.Open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> Any:
        """Returns the processor that `save` wrote to `filename`."""
        with tf.gfile.Open(filename, "rb") as file:
            return pickle.loads(file.read())
