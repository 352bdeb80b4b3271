"""CategoricalVocabulary: a mapping of categories to ids."""
import collections
from typing import Any, Dict, List


class CategoricalVocabulary:
    """Maps categories (words) to ids from 1, in the order of their first use; id 0 is `unknown_token`.

    Args:
      support_reverse: whether `reverse` is supported.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._mapping: Dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: List[Any] = [unknown_token]
        # The attributes have the names of TensorFlow 1.15, so that its pickles can be restored.
        self._freq: Dict[Any, int] = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Freezes the vocabulary: new categories get id 0. `freeze(False)` unfreezes it."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns the id of `category`. A new category gets a new id, or 0 where the vocabulary is frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._append(category)
        return self._mapping[category]

    def _append(self, category: Any) -> None:
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)

    def add(self, category: Any, count: int = 1) -> None:
        """Adds `count` to the frequency of `category`."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps categories with min_frequency < frequency < max_frequency, the most frequent first; -1: no maximum."""
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        ranked = sorted(by_name, key=lambda item: item[1], reverse=True)
        kept = [
            (word, count)
            for word, count in ranked
            if count > min_frequency and not (max_frequency > 0 and count >= max_frequency)
        ]
        self._mapping = {self._unknown_token: 0}
        self._reverse_mapping = [self._unknown_token]
        for word, _ in kept:
            self._append(word)
        self._freq = dict(kept)

    def reverse(self, class_id: int) -> Any:
        """Returns the category with the id `class_id`.

        Raises:
          ValueError: the vocabulary was created with `support_reverse` false.
        """
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]
