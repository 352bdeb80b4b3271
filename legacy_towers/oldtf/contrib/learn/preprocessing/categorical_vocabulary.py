"""Words and their numbers."""
import collections
from typing import Any, Dict, List


class CategoricalVocabulary:
    """Gives each word a number from 1 on, in the order in which they come; 0 is `unknown_token`.

    Args:
      support_reverse: whether `reverse` can be asked.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._mapping: Dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: List[Any] = [unknown_token]
        # Restored objects of TensorFlow 1.15 have these names, and ours theirs.
        self._freq: Dict[Any, int] = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on new words are unknown, or no longer."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns the number of a word, a new one for a new word."""
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
        """Counts a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps words that came more than `min_frequency` and less than `max_frequency` times, frequent ones first."""
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
        """Returns the word of a number."""
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]
