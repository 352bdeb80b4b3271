"""The position in `Examples`: which epoch, and how many of its examples, also for the reader of a shard."""
import itertools
from typing import Callable, Optional

from legacy_towers.data import Examples
from legacy_towers.data.file_shards import size_of_shard
from legacy_towers.data.start import SEEDS, Start, draw_seed
from legacy_towers.inputs.position import Position, Promise


class ExamplesPosition(Position):
    """The position in `Examples`, by their order in each epoch."""

    begins_by_pipeline = True

    def __init__(
        self, examples: Examples, promise: Promise, examples_per_step: int, stream: str, epochs: Optional[int]
    ) -> None:
        seed = None if examples.seed is None else examples.seed % SEEDS
        super().__init__(promise, examples_per_step, stream, seed, epochs)
        self._examples = examples
        self._counted: Optional[int] = None
        self._is_counted = False
        if examples.arrays is not None:
            self._length()  # costs nothing
        self._origin = 0  # the examples used before the session

    def begin(self, default_seed: Callable[[], int] = draw_seed) -> None:
        super().begin(default_seed)
        self._origin = self.examples

    def start(self) -> Start:
        """Returns where the session begins to read, as numbers."""
        epoch, skip = self._place(self._origin) if self._origin else (0, 0)
        return Start(self.seed, epoch, skip)

    def start_of_shard(self, shards: int, shard: int, offset: Optional[int] = None) -> Start:
        """Returns the same for the reader of one of several shards, which have used equally many examples each.

        Args:
          offset: how much further than the one before each epoch begins to count examples, to divide them among the
            shards (see `data.file_shards`); None: the number of examples of an epoch.
        """
        length, used = self._length(), self._origin // shards
        if shards == 1 or not used or not length:
            return self.start()
        for epoch in itertools.count():
            size = size_of_shard(length, shards, shard, epoch * (length if offset is None else offset))
            if used < size or not used:
                break
            used -= size
        return Start(self.seed, epoch, used)

    def _length(self) -> Optional[int]:
        if not self._is_counted:
            self._counted, self._is_counted = self._examples.source.exact_count(), True
        return self._counted

    def _known_epoch(self) -> Optional[int]:
        return self._counted
