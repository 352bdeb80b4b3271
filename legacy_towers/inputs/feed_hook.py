"""The hook that feeds placeholders: each batch is used up by one run that needs it, and only lent to the others."""
from typing import Any, Callable, Collection, Dict, FrozenSet, Iterator, Optional, Tuple

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.graph_walk import ancestors, operations_of
from legacy_towers.inputs.placeholders import Feed, TowerPlaceholders


class FeedHook(tf.train.SessionRunHook):
    """Feeds the next batch to every run whose fetches depend on the placeholders.

    A run that only reads the global step doesn't use up a batch: it is lent the next one, since another hook
    (SummarySaverHook) may fetch in it what needs a batch; at the end of data it is fed nothing. A run whose caller
    feeds a tower's placeholder himself is left alone; shared values that the caller feeds stand.

    Each new session starts with a new iterator.
    """

    def __init__(
        self, placeholders: TowerPlaceholders, make_feeds: Callable[[], Iterator[Feed]], continues: bool = False
    ) -> None:
        """
        Args:
          placeholders: what is fed.
          make_feeds: returns an iterator over the steps' values.
          continues: a new iterator goes on where the last one stopped, so that a batch that was only lent is kept.
        """
        self._placeholders = placeholders
        self._make_feeds = make_feeds
        self._continues = continues
        self._feeds: Optional[Iterator[Feed]] = None
        self._pending: Optional[Feed] = None  # taken from the iterator, not yet used up
        graph = placeholders.all[0].graph if placeholders.all else None
        self._shared = frozenset(operations_of(structure.leaves_of(placeholders.shared), graph))
        self._towers = frozenset(operations_of(placeholders.all, graph)) - self._shared
        self._needs: Dict[Tuple[FrozenSet[Any], FrozenSet[Any]], bool] = {}

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._close()
        self._feeds = self._make_feeds()

    def before_run(self, run_context: Any) -> Any:
        """Returns what to feed; raises tf.errors.OutOfRangeError at the end of data."""
        if self._feeds is None:
            return None
        original, graph = run_context.original_args, run_context.session.graph
        fed = frozenset(operations_of(list(original.feed_dict or {}), graph))
        if fed & self._towers:
            return None
        needed = self._needed(frozenset(operations_of(original.fetches, graph)), fed, graph)
        if self._pending is None:
            self._pending = next(self._feeds, None)
        feed = self._pending
        if not needed:
            return None if feed is None else self._lend(feed, fed)
        if feed is None:
            raise tf.errors.OutOfRangeError(None, None, "end of data: there is no further batch to feed")
        self._pending = None
        return tf.train.SessionRunArgs(None, self._placeholders.feed_dict(*feed, fed_elsewhere=fed))

    def end(self, session: Any) -> None:
        self._close()

    def _close(self) -> None:
        close = getattr(self._feeds, "close", None)
        self._feeds = None
        if not self._continues:
            self._pending = None
        if close is not None:
            close()

    def _lend(self, feed: Feed, fed: Collection[Any]) -> Any:
        missing = self._shared if feed.shared is None else frozenset()
        try:
            return tf.train.SessionRunArgs(None, self._placeholders.feed_dict(*feed, fed_elsewhere=missing.union(fed)))
        except InputError:
            return None  # said by the run that needs this batch, if one does

    def _needed(self, fetched: FrozenSet[Any], fed: FrozenSet[Any], graph: Any) -> bool:
        if (fetched, fed) not in self._needs:
            reached = ancestors(list(fetched), fed, graph) - fed
            self._needs[fetched, fed] = not reached.isdisjoint(self._towers | self._shared)
        return self._needs[fetched, fed]
