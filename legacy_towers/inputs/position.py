"""Where an input pipeline is in its data, by the examples that steps have used, and what it takes to go on from there.

    examples in their order    a b c d e f g h i j k l ...
    used by steps              -------
    read ahead                         -------                  (prefetched, staged, in queues: not counted)
    position                           4: a new session begins with e

The position belongs in each checkpoint. It is not a variable: a graph with one more variable could not restore the
checkpoints that exist, and a checkpoint with one more could not be compared with them. `lt.training.CheckpointStore`
saves it in a file of the checkpoint.
"""
import threading
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.data.start import draw_seed

EXACT, ONCE, REFUSED = "exact", "once per epoch", "refused"
_FORMAT = 1
_NOT_PAUSED = ", as one that is saved while asynchronous towers train: give its hook their pausing_listener()"


class Promise(NamedTuple):
    """What an input pipeline promises to a run that resumes.

    Attributes:
      name: "exact": the same examples in the same order with the same values; "once per epoch": each example once in
        each epoch; "refused": it begins again.
      reason: why, in a clause.
    """

    name: str
    reason: str


class Resumed(NamedTuple):
    """Where a run resumes in the data.

    Attributes:
      examples: the examples used before, of all epochs.
      epoch: the epoch of the next example, from 1; None if the length of an epoch is unknown.
      example: its number in the order of that epoch, from 1; without epochs, in that of the data.
      note: what differs from the promise, in a sentence without a period; "" if nothing does.
    """

    examples: int
    epoch: Optional[int]
    example: int
    note: str

    def __str__(self) -> str:
        if self.epoch is None:
            return "at example {:,}".format(self.example)
        return "at example {:,} of epoch {:,}".format(self.example, self.epoch)


class Position:
    """The position of an input pipeline. Its input pipeline creates it.

    Attributes:
      promise: what it promises to a run that resumes.
      examples: the number of examples that steps have used, over all epochs and sessions; of batches, where the
        pipeline reads a caller's batches.
      seed: the seed of the shuffled order; None before a session has begun, unless it is given.
      is_other_run: returns by the `tf.train.SessionRunContext` whether a run with batches is not a step, such as one
        that validates.
      is_settled: returns whether each run of a tower is counted, so that the position can be saved.
      begins_by_pipeline: whether a hook of the pipeline calls `begin`, before it reads.
      counts_ids: whether `advance` takes the ids of the examples.
      depends_on_towers: whether the order of the examples depends on the number of towers.
      by_tower: whether `advance` counts the run of one tower: where towers train asynchronously, and any of them takes
        the next batch.
    """

    begins_by_pipeline = False
    counts_ids = False
    depends_on_towers = False
    by_tower = False

    def __init__(
        self,
        promise: Promise,
        examples_per_step: int,
        stream: str = "",
        seed: Optional[int] = None,
        epochs: Optional[int] = None,
    ) -> None:
        """
        Args:
          stream: what decides the order of the examples besides the seed. A position in another stream is not a
            position in this one.
          seed: None: each session draws one.
          epochs: how often the data is read; None: endlessly.
        """
        self.promise = promise
        self.examples = 0
        self.seed = seed
        self.is_other_run: Callable[[Any], bool] = lambda run_context: False
        self.is_settled: Callable[[], bool] = lambda: True
        self._given_seed = seed
        self._per_step = examples_per_step
        self._stream = stream
        self._epochs = epochs
        self._saved: Optional[Dict[str, Any]] = None
        self._advancing = threading.Lock()

    def state(self) -> Dict[str, Any]:
        """Returns the position as plain values, which `restore` takes."""
        with self._advancing:
            return self._state()

    def _state(self) -> Dict[str, Any]:
        return {
            "format": _FORMAT, "examples": self.examples, "seed": self.seed, "stream": self._stream,
            "epoch": self._known_epoch(), "epochs": self._epochs,
        }

    def restore(self, state: Optional[Dict[str, Any]]) -> Resumed:
        """Lets the next session continue at a position; without one, or with one of other data, from the beginning.

        Args:
          state: what `state` returned, in this or another graph; None: nothing was saved.
        """
        problem = self._problem(state)
        if problem:
            self._saved = None
            return Resumed(0, 1, 1, "the input begins again at example 1 of epoch 1, because {}".format(problem))
        assert state is not None
        self._saved = dict(state, examples=self._without_copies(state))
        note = ""
        if self._given_seed is not None and state["seed"] != self._given_seed:
            note = "the order continues with seed {} of the checkpoint, not with seed {}".format(
                state["seed"], self._given_seed
            )
        epoch, skip = self._place(self._saved["examples"])
        return Resumed(self._saved["examples"], None if self._length() is None else epoch + 1, skip + 1, note)

    def begin(self, default_seed: Callable[[], int] = draw_seed) -> None:
        """Begins a session at the restored position, else at the beginning; the pipeline's own hook calls it.

        Args:
          default_seed: returns a seed where none is given or saved.
        """
        self.examples, self.seed = 0, self._given_seed
        if self._saved is not None:
            self.examples, self.seed = self._saved["examples"], self._saved["seed"]
        elif self.seed is None:
            self.seed = default_seed()

    def begin_at(self, examples: int, seed: int) -> None:
        """Begins a session, in the place of `begin`, after `examples` examples in the order of a seed."""
        self._saved = {"examples": examples, "seed": seed}
        self.begin()

    def advance(self, ids: Sequence[np.ndarray] = ()) -> None:
        """Counts a step, in any thread.

        Args:
          ids: where `counts_ids`, the ids of the examples without copies, of each tower.
        """
        with self._advancing:
            self._advance(ids)

    def _advance(self, ids: Sequence[np.ndarray]) -> None:
        self.examples += self._per_step

    def end(self) -> None:
        """Ends a session: the next one begins at the beginning of the data, unless it is restored."""
        self._saved = None

    def _problem(self, state: Optional[Dict[str, Any]]) -> str:
        """Returns why a state is not a position here, in a clause; "" if it is one."""
        if self.promise.name == REFUSED:
            return self.promise.reason
        if state is None:
            return "the checkpoint has no position of the input{}".format(_NOT_PAUSED if self.by_tower else "")
        if state.get("format") != _FORMAT:
            return "its position has format {!r}, and this version reads {}".format(state.get("format"), _FORMAT)
        if state["stream"] != self._stream:
            return "the position in the checkpoint is one of {}, and this is {}".format(state["stream"], self._stream)
        if state["epoch"] is not None and self._length() is not None and state["epoch"] != self._length():
            return "the data has changed: an epoch had {:,} examples, and has {:,}".format(
                state["epoch"], self._length()
            )
        return ""

    def _without_copies(self, state: Dict[str, Any]) -> int:
        """Returns the examples of a state; the last step of its last epoch may have been filled with copies."""
        examples, length = int(state["examples"]), self._length()
        if length is None or state["epochs"] is None:
            return examples
        return min(examples, length * int(state["epochs"]))

    def _length(self) -> Optional[int]:
        """Returns the number of examples of an epoch; may read files."""
        return None

    def _known_epoch(self) -> Optional[int]:
        """Returns the same, if it is known without reading files."""
        return None

    def _place(self, examples: int) -> Tuple[int, int]:
        """Returns the epoch of the next example, from 0, and how many examples of it have been used."""
        length = self._length()
        return divmod(examples, length) if length else (0, examples)
