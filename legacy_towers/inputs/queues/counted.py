"""The position in examples that come in no fixed order: how often steps have used each example, by its id.

    used                a b c d a        all of the first epoch, and a of the second
    epochs_done         1
    ahead               {a: 1}           in a resumed run the reader begins an epoch, and leaves out a once
"""
import collections
import threading
from typing import Any, Callable, Counter, Dict, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.data import Examples
from legacy_towers.data.start import draw_seed
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.inputs.position import ONCE, Promise, Resumed
from legacy_towers.inputs.queues.packed_ids import packed, unpacked


class CountedPosition(ExamplesPosition):
    """The position of a pipeline whose order depends on threads: the ids that steps have used, with their numbers."""

    counts_ids = True

    def __init__(self, examples: Examples, reason: str, examples_per_step: int, epochs: Optional[int]) -> None:
        """
        Args:
          reason: why the order is not fixed, in a clause.
        """
        super().__init__(examples, Promise(ONCE, reason), examples_per_step, "ids in any order", epochs)
        self._epochs_done = 0
        self._ahead: "Counter[int]" = collections.Counter()  # used since these epochs
        self._to_skip: "Counter[int]" = collections.Counter()
        self._lock = threading.Lock()

    def _state(self) -> Dict[str, Any]:
        return dict(super()._state(), epochs_done=self._epochs_done, ids=packed(self._ahead))

    def restore(self, state: Optional[Dict[str, Any]]) -> Resumed:
        """Lets the next session leave out what was used; see `Position.restore`."""
        resumed = super().restore(state)
        if self._saved is None:
            return resumed
        ahead = unpacked(self._saved["ids"], self._saved["examples"])
        return resumed._replace(epoch=self._saved["epochs_done"] + 1, example=sum(ahead.values()) + 1)

    def begin(self, default_seed: Callable[[], int] = draw_seed) -> None:
        """Begins a session: `keeps` then leaves out what was used before."""
        super().begin(default_seed)
        with self._lock:
            self._epochs_done, self._ahead = 0, collections.Counter()
            if self._saved is not None:
                self._epochs_done = self._saved["epochs_done"]
                self._ahead = unpacked(self._saved["ids"], self._saved["examples"])
            self._to_skip = self._ahead.copy()

    def read_before(self) -> int:
        """Returns how many records a reader that counts epochs has to discard: those of the epochs that are done."""
        return self._epochs_done * (self._length() or 0)

    @property
    def skips(self) -> bool:
        """Whether there are examples left that `keeps` would leave out."""
        return bool(self._to_skip)

    def keeps(self, example_id: Any) -> np.bool_:
        """Returns whether an example that was read is used; False as often as it was used before the session."""
        number = int(example_id)
        with self._lock:
            left = self._to_skip.get(number, 0)
            if left > 1:
                self._to_skip[number] = left - 1
            elif left:
                del self._to_skip[number]
        return np.bool_(not left)

    def _advance(self, ids: Sequence[np.ndarray]) -> None:
        for each in ids:
            self._ahead.update(each.tolist())
            self.examples += len(each)
        length = self._length()
        while length and len(self._ahead) == length:  # each example at least once
            self._epochs_done += 1
            self._ahead = collections.Counter({number: left - 1 for number, left in self._ahead.items() if left > 1})

    def _place(self, examples: int) -> Tuple[int, int]:
        return self._epochs_done, sum(self._ahead.values())
