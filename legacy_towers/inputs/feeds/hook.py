"""The hook that feeds placeholders: each batch is consumed by one run that needs it."""
import time
from typing import Any, Callable, FrozenSet, Generator, Iterator, List, Optional, Union

import six

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph.walk import RunNeeds, operations_of
from legacy_towers.inputs.base import InputHook
from legacy_towers.inputs.feeds.aligned import BufferRing
from legacy_towers.inputs.feeds.background import BackgroundIterator
from legacy_towers.inputs.feeds.placeholders import Feed, TowerPlaceholders
from legacy_towers.inputs.feeds.prepare import PreparedStep, Preparer, RejectedStep
from legacy_towers.specs.batch_sizes import check_positive
from legacy_towers.tensor_types import Coordinator, Operation, Session

# Steps made in advance in the background by default.
_PREFETCH = 2
# Blocks of memory in use at once: of the current step, of the next one and, in the background, of the one being made.
_BLOCKS = 2
_BLOCKS_BESIDE_PREFETCH = 3

_NOTHING: FrozenSet[Any] = frozenset()


class FeedHook(InputHook):
    """Feeds the next batch to every run whose fetches depend on the placeholders.

    A run that only reads the global step does not consume a batch. It is fed the next one without consuming it, since
    another hook (SummarySaverHook) may add fetches that need a batch; at the end of the data it is fed nothing. A run
    whose caller feeds a tower's placeholder is not fed; shared values that the caller feeds take precedence.

    Each new session starts with a new iterator. Arrays are in aligned memory, which TensorFlow uses without a copy; see
    `legacy_towers.inputs.feeds.aligned` for its reuse.
    """

    per_run_action = "feeds the batches of all towers"

    def __init__(
        self,
        placeholders: TowerPlaceholders,
        make_feeds: Callable[[], Iterator[Union[Feed, PreparedStep]]],
        continues: bool = False,
        prefetch: Optional[int] = None,
        ring: Optional[BufferRing] = None,
        begin: Optional[Callable[[], None]] = None,
    ) -> None:
        """
        Args:
          make_feeds: returns an iterator over the steps' values. A `PreparedStep` is fed without checks, and must be in
            memory that is not changed while anything refers to it.
          continues: whether a new iterator continues where the last one stopped, so that a batch that was fed without
            being consumed is kept for the next session.
          prefetch: steps that a thread makes in advance; None makes each in the run that needs it.
          ring: the memory of the arrays of `make_feeds`; None for a new one.
          begin: called in each new session before `make_feeds`; None: nothing.
        """
        super().__init__()
        self._placeholders = placeholders
        self._make_feeds = make_feeds
        self._continues = continues
        self._prefetch = prefetch
        self._ring = BufferRing(blocks_for(prefetch)) if ring is None else ring
        self._begin = begin
        self._preparer = Preparer(placeholders, self._ring, fed_later=prefetch is not None)
        self._steps: Optional[Generator[Union[PreparedStep, RejectedStep], None, None]] = None  # without a thread, or
        self._background: Optional[BackgroundIterator] = None  # with one, while a session lasts
        self._remaining: List[Any] = []  # steps that the last session made and did not take, if the next one continues
        # The last session's, if it has not ended and the next session has to continue with it.
        self._unfinished: Optional[BackgroundIterator] = None
        self._pending: Optional[Union[PreparedStep, RejectedStep]] = None  # taken, not yet consumed
        self._running = False  # a run that was fed has not ended yet, or has raised
        graph = placeholders.all[0].graph if placeholders.all else None
        self._shared = frozenset(operations_of(structure.leaves_of(placeholders.shared), graph))
        self._towers = frozenset(operations_of(placeholders.all, graph)) - self._shared
        self._needs = RunNeeds(self._towers | self._shared)

    @property
    def blocks_made(self) -> int:
        """Number of blocks of aligned memory allocated so far; it stays small if they can be reused."""
        return self._ring.blocks_made

    @property
    def retaining_op(self) -> Optional[Operation]:
        """An operation of the graph that may retain what is fed after the run; None if there is none.

        If there is one, the caller's arrays are copied even if they are aligned.
        """
        return self._preparer.retaining_op()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._close()
        if self._begin is not None:
            self._begin()
        if self._prefetch is None:
            self._steps = self._make_steps()
            return
        if self._unfinished is not None and self._unfinished.is_alive:
            raise InputError(
                "the iterator over the batches still computes a batch for the last session, so a new session can't "
                "continue with it"
            )
        self._background = BackgroundIterator(self._make_steps, self._prefetch, self._remaining)
        self._remaining = []
        self._background.start(session, coord)

    def before_run(self, run_context: Any) -> Any:
        """Returns the feed of the run; raises tf.errors.OutOfRangeError at the end of the data."""
        if self._steps is None and self._background is None:
            return None
        fed = _NOTHING
        caller_feeds = run_context.original_args.feed_dict
        if caller_feeds:
            fed = frozenset(operations_of(list(caller_feeds), run_context.session.graph))
            if fed & self._towers:
                return None
        needed = self._needs(run_context)
        if self._running:
            self._ring.drop()  # the last run raised: operations that still run must keep their memory
        started = time.perf_counter()
        try:
            if self._pending is None:
                self._pending = self._take()
            step = self._pending
            if not needed:
                # An error of the next step is raised by a run that needs it.
                return self._feed(step, fed) if isinstance(step, PreparedStep) else None
            if step is None:
                raise tf.errors.OutOfRangeError(None, None, "end of the data: there is no further batch to feed")
            self._pending = None
            if isinstance(step, RejectedStep):
                six.reraise(*step.error_info)
            if step.lacks_shared and not self._shared <= fed:
                raise self._placeholders.shared_missing()
            return self._feed(step, fed)
        finally:
            self.waited_seconds += time.perf_counter() - started

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._running = False

    def end(self, session: Session) -> None:
        self._close()

    def _make_steps(self) -> Generator[Union[PreparedStep, RejectedStep], None, None]:
        return self._preparer.steps(self._make_feeds())

    def _take(self) -> Optional[Union[PreparedStep, RejectedStep]]:
        if self._background is not None:
            step = self._background.take()
        else:
            assert self._steps is not None
            step = next(self._steps, None)
        if isinstance(step, PreparedStep):
            self.copied_bytes += step.copied_bytes
        return step

    def _feed(self, step: PreparedStep, fed: FrozenSet[Any]) -> Any:
        arrays = step.arrays
        if fed & self._shared:
            arrays = {leaf: array for leaf, array in arrays.items() if leaf.op not in fed}
        self.fed_bytes += step.fed_bytes
        self._running = True
        return tf.train.SessionRunArgs(None, arrays)

    def _close(self) -> None:
        steps, self._steps = self._steps, None
        background, self._background = self._background, None
        self._running = False
        if not self._continues:
            self._pending = None
        if background is not None:
            background.stop()
            if self._continues:
                self._remaining = background.remaining()
                self._unfinished = background
        if steps is not None:
            steps.close()


def blocks_for(prefetch: Optional[int]) -> int:
    """Returns the number of blocks of memory that a feed reuses: one for each step in use."""
    return _BLOCKS if prefetch is None else prefetch + _BLOCKS_BESIDE_PREFETCH


def check_prefetch(background: bool, prefetch: Optional[int]) -> Optional[int]:
    """Returns the number of steps made in advance, None without a background thread; raises ArgumentError."""
    if prefetch is not None:
        check_positive("prefetch", prefetch)
        if not background:
            raise ArgumentError("prefetch={} needs a background thread: pass background=True too".format(prefetch))
    if not background:
        return None
    return _PREFETCH if prefetch is None else prefetch
