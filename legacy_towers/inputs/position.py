"""Where an input pipeline is in its data, by the examples that steps have used, and what it takes to go on from there.

    examples in their order    a b c d e f g h i j k l ...
    used by steps              -------
    read ahead                         -------                  (prefetched, staged, in queues: not counted)
    position                           4: a new session begins with e

The position belongs in each checkpoint. It is not a variable: a graph with one more variable could not restore the
checkpoints that exist, and a checkpoint with one more could not be compared with them. `lt.training.CheckpointStore`
saves it in a file of the checkpoint.
"""
import itertools
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.data.file_shards import size_of_shard
from legacy_towers.data.start import SEEDS, Start, draw_seed
from legacy_towers.errors import InputError
from legacy_towers.graph.walk import RunNeeds, operations_of
from legacy_towers.tensor_types import Coordinator, Graph, Session, SessionRunHook, Tensor

EXACT, ONCE, REFUSED = "exact", "once per epoch", "refused"
# The graph's collection of positions.
_COLLECTION = "legacy_towers_input_positions"
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
        """Begins a session where `restore` said, else at the beginning of the data; the pipeline's own hook calls it.

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


class CountSteps(tf.train.SessionRunHook):
    """Counts the steps of a position: the runs that compute something of the towers' batches.

    It registers the position in the graph, where `position_of` finds it.
    """

    def __init__(
        self, position: Position, batches: Any, ids: Sequence[Tensor] = (), registers: bool = True
    ) -> None:
        """
        Args:
          batches: a structure of tensors that are computed from the batches of a step, or are these.
          ids: per tower, the ids of its examples without copies; () for a position that does not count them.
          registers: whether it registers the position.
        """
        self._position = position
        operations = operations_of(batches)
        self._needs = RunNeeds(operations)
        self._ids = list(ids)
        self._counts = False
        if registers:
            tf.add_to_collection(_COLLECTION, _Registered(position, operations[0].name))

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        if not self._position.begins_by_pipeline:
            self._position.begin()

    def before_run(self, run_context: Any) -> Any:
        """Fetches the ids in a run that is a step, if they are counted."""
        self._counts = self._needs(run_context) and not self._position.is_other_run(run_context)
        return tf.train.SessionRunArgs(self._ids) if self._counts and self._ids else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Counts a step that has ended."""
        if self._counts:
            self._position.advance(run_values.results or ())

    def end(self, session: Session) -> None:
        self._position.end()


class _Registered(NamedTuple):
    """A position in a graph's collection.

    A MetaGraph keeps collections of what has the name of an operation, without a warning: the position is not part of
    it.
    """

    position: Position
    name: str


def position_of(graph: Graph) -> Optional[Position]:
    """Returns the position of the input pipeline of a graph's train step; None if there is none.

    Raises:
      InputError: the graph has several.
    """
    found = [each.position for each in graph.get_collection(_COLLECTION) if isinstance(each, _Registered)]
    if len(found) > 1:
        raise InputError("the graph has {} train steps: build one in a graph of its own".format(len(found)))
    return found[0] if found else None


def counting_hooks(
    position: Optional[Position], per_tower: Sequence[Any], ids: Sequence[Tensor]
) -> List[SessionRunHook]:
    """Returns the hooks that count the steps, or the runs of each tower, of a session; none without a position."""
    if position is None:
        return []
    if not position.by_tower:
        return [CountSteps(position, per_tower, ids)]
    return [
        CountSteps(position, batch, ids[tower:tower + 1], registers=tower == 0) for tower, batch in enumerate(per_tower)
    ]
