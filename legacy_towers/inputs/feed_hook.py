"""The hook that feeds placeholders: each batch is used up by one run that needs it, and only lent to the others."""
import time
from typing import Any, Callable, FrozenSet, Generator, Iterator, List, Optional, Union

import six

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph_walk import operations_of
from legacy_towers.inputs.ahead import Ahead
from legacy_towers.inputs.aligned import BufferRing
from legacy_towers.inputs.base import InputHook
from legacy_towers.inputs.placeholders import Feed, TowerPlaceholders
from legacy_towers.inputs.prepare import Preparer, Ready, Refused
from legacy_towers.inputs.sizes import check_positive
from legacy_towers.run_needs import RunNeeds

# Steps that are made ahead in the background, where the caller doesn't say.
_PREFETCH = 2
# Blocks of memory in use at once: the step that runs, the next one, and in the background the one that is being made.
_BLOCKS = 2
_BLOCKS_BEHIND = 3


class FeedHook(InputHook):
    """Feeds the next batch to every run whose fetches depend on the placeholders.

    A run that only reads the global step doesn't use up a batch: it is lent the next one, since another hook
    (SummarySaverHook) may fetch in it what needs a batch; at the end of data it is fed nothing. A run whose caller
    feeds a tower's placeholder himself is left alone; shared values that the caller feeds stand.

    Each new session starts with a new iterator. What is fed lies in aligned memory, which TensorFlow takes without a
    copy; `inputs/aligned.py` says when that is written again.
    """

    in_each_run = "feeds the batches of all towers"

    def __init__(
        self,
        placeholders: TowerPlaceholders,
        make_feeds: Callable[[], Iterator[Union[Feed, Ready]]],
        continues: bool = False,
        prefetch: Optional[int] = None,
        ring: Optional[BufferRing] = None,
    ) -> None:
        """
        Args:
          placeholders: what is fed.
          make_feeds: returns an iterator over the steps' values; a `Ready` one is fed unchecked, and must lie in memory
            that is not written again while anything refers to it.
          continues: a new iterator goes on where the last one stopped, so that a batch that was only lent is kept.
          prefetch: steps that a thread makes ahead; None makes each in the run that needs it.
          ring: where `make_feeds` makes its arrays, if it has one.
        """
        super().__init__()
        self._placeholders = placeholders
        self._make_feeds = make_feeds
        self._continues = continues
        self._prefetch = prefetch
        self._ring = BufferRing(blocks_for(prefetch)) if ring is None else ring
        self._preparer = Preparer(placeholders, self._ring, fed_later=prefetch is not None)
        self._steps: Optional[Generator[Union[Ready, Refused], None, None]] = None  # in the foreground, and
        self._ahead: Optional[Ahead] = None  # in the background, while a session lasts
        self._left: List[Any] = []  # by the last session, for one that goes on
        self._stuck: Optional[Ahead] = None  # the last session's, where it didn't end and this one has to go on with it
        self._pending: Optional[Union[Ready, Refused]] = None  # taken, not yet used up
        self._running = False  # a run that was fed has not ended yet, or has raised
        graph = placeholders.all[0].graph if placeholders.all else None
        self._shared = frozenset(operations_of(structure.leaves_of(placeholders.shared), graph))
        self._towers = frozenset(operations_of(placeholders.all, graph)) - self._shared
        self._needs = RunNeeds(self._towers | self._shared)

    @property
    def blocks_made(self) -> int:
        """How many blocks of aligned memory were allocated so far: few, where they can be used again."""
        return self._ring.blocks_made

    @property
    def keeper(self) -> Optional[Any]:
        """The operation of the graph that may hold what is fed past the run; None if there is none.

        Where there is one, the caller's own arrays are copied, also if they are aligned.
        """
        return self._preparer.keeper()

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._close()
        if self._prefetch is None:
            self._steps = self._make_steps()
            return
        if self._stuck is not None and self._stuck.is_alive:
            raise InputError(
                "the batches' iterator still computes a batch of the session before: a new session can't go on with it"
            )
        self._ahead = Ahead(self._make_steps, self._prefetch, self._left)
        self._left = []
        self._ahead.start(session, coord)

    def before_run(self, run_context: Any) -> Any:
        """Returns what to feed; raises tf.errors.OutOfRangeError at the end of data."""
        if self._steps is None and self._ahead is None:
            return None
        original, graph = run_context.original_args, run_context.session.graph
        fed = frozenset(operations_of(list(original.feed_dict or {}), graph))
        if fed & self._towers:
            return None
        needed = self._needs.for_run(frozenset(operations_of(original.fetches, graph)), fed, graph)
        if self._running:
            self._ring.drop()  # the last run raised: whatever of it is still at work keeps its memory
        started = time.perf_counter()
        try:
            if self._pending is None:
                self._pending = self._take()
            step = self._pending
            if not needed:
                # What is wrong with another one is said by the run that needs it, if one does.
                return self._feed(step, fed) if isinstance(step, Ready) else None
            if step is None:
                raise tf.errors.OutOfRangeError(None, None, "end of data: there is no further batch to feed")
            self._pending = None
            if isinstance(step, Refused):
                six.reraise(*step.error_info)
            if step.lacks_shared and not self._shared <= fed:
                raise self._placeholders.shared_missing()
            return self._feed(step, fed)
        finally:
            self.waited_seconds += time.perf_counter() - started

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._running = False

    def end(self, session: Any) -> None:
        self._close()

    def _make_steps(self) -> Generator[Union[Ready, Refused], None, None]:
        return self._preparer.steps(self._make_feeds())

    def _take(self) -> Optional[Union[Ready, Refused]]:
        if self._ahead is not None:
            step = self._ahead.take()
        else:
            assert self._steps is not None
            step = next(self._steps, None)
        if isinstance(step, Ready):
            self.copied_bytes += step.copied_bytes
        return step

    def _feed(self, step: Ready, fed: FrozenSet[Any]) -> Any:
        arrays = step.arrays
        if fed & self._shared:
            arrays = {leaf: array for leaf, array in arrays.items() if leaf.op not in fed}
        self.fed_bytes += step.fed_bytes
        self._running = True
        return tf.train.SessionRunArgs(None, arrays)

    def _close(self) -> None:
        steps, self._steps = self._steps, None
        ahead, self._ahead = self._ahead, None
        self._running = False
        if not self._continues:
            self._pending = None
        if ahead is not None:
            ahead.stop()
            if self._continues:
                self._left = ahead.left()
                self._stuck = ahead
        if steps is not None:
            steps.close()


def blocks_for(prefetch: Optional[int]) -> int:
    """Returns how many blocks of memory a feed uses again, one per step that is under way."""
    return _BLOCKS if prefetch is None else prefetch + _BLOCKS_BEHIND


def check_prefetch(background: bool, prefetch: Optional[int]) -> Optional[int]:
    """Returns how many steps a thread makes ahead, None without one; raises ArgumentError."""
    if prefetch is not None:
        check_positive("prefetch", prefetch)
        if not background:
            raise ArgumentError("prefetch={} makes batches ahead: pass background=True with it".format(prefetch))
    if not background:
        return None
    return _PREFETCH if prefetch is None else prefetch
