"""Positions in what iterators of the caller yield, which report their own position; see `data.item_log`."""
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.data import Examples
from legacy_towers.data.item_log import ItemLog
from legacy_towers.data.start import Start, draw_seed
from legacy_towers.inputs.examples_position import ExamplesPosition
from legacy_towers.inputs.position import Position, Promise, Resumed


class _Logged(Position):
    """A position whose state has that of the iterator of the caller.

    Attributes:
      log: of what was read.
    """

    log: ItemLog

    def _state(self) -> Dict[str, Any]:
        examples, iterator = self.log.saved(self.examples)
        return dict(super()._state(), examples=examples, iterator=iterator)

    def begin(self, default_seed: Callable[[], int] = draw_seed) -> None:
        """Begins a session at the restored position; see `Position.begin`."""
        super().begin(default_seed)
        self.log.begin(self._iterator(), self.examples)

    def _advance(self, ids: Sequence[np.ndarray]) -> None:
        super()._advance(ids)
        self.log.use(self.examples)

    def _iterator(self) -> Optional[Dict[str, Any]]:
        """Returns the saved position of the iterator; None: it is read from the first epoch on."""
        return None if self._saved is None else self._saved.get("iterator")


class LoggedPosition(_Logged, ExamplesPosition):
    """The position in `Examples` from such iterators. Its state is that of the example that was used last."""

    def __init__(
        self, examples: Examples, promise: Promise, examples_per_step: int, stream: str, epochs: Optional[int]
    ) -> None:
        super().__init__(examples, promise, examples_per_step, stream, epochs)
        self.log = examples.source.log

    def restore(self, state: Optional[Dict[str, Any]]) -> Resumed:
        """Lets the next session continue at a position; see `Position.restore`."""
        resumed = super().restore(state)
        if self._iterator() is None:
            return resumed
        epoch, skip = self._place(resumed.examples)
        return resumed._replace(epoch=epoch + 1, example=skip + 1)

    def start(self) -> Start:
        """Returns where the session begins to read: the iterator itself leaves out what was used, if it is in order."""
        start = super().start()
        return start if self._iterator() is None or self.log.whole_epochs else start._replace(skip=0)

    def _place(self, examples: int) -> Tuple[int, int]:
        saved = self._iterator()
        if saved is None:
            return super()._place(examples)
        within = examples - saved["used"] + (0 if self.log.whole_epochs else saved["item"])
        return saved["epoch"], within


class ItemsPosition(_Logged):
    """The position in the batches, or examples, that a function of the caller yields."""

    begins_by_pipeline = True

    def __init__(self, promise: Promise, per_step: int, stream: str, log: ItemLog) -> None:
        """
        Args:
          per_step: the number of batches, or examples, that a step uses.
        """
        super().__init__(promise, per_step, stream)
        self.log = log
