"""The hook that feeds placeholders: one batch for each run that needs it, none for the others."""
from typing import Any, Callable, Dict, FrozenSet, Iterator, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph_walk import ancestors, operations_of
from legacy_towers.inputs.placeholders import Feed, TowerPlaceholders


class FeedHook(tf.train.SessionRunHook):
    """Feeds the next batch to every run whose fetches depend on the placeholders.

    A run that reads the global step takes no batch, and neither does one whose caller feeds a placeholder himself.
    Each new session starts with a new iterator.
    """

    def __init__(self, placeholders: TowerPlaceholders, make_feeds: Callable[[], Iterator[Feed]]) -> None:
        self._placeholders = placeholders
        self._make_feeds = make_feeds
        self._feeds: Optional[Iterator[Feed]] = None
        self._own = frozenset(operations_of(placeholders.all))
        self._needs: Dict[Tuple[FrozenSet[Any], FrozenSet[Any]], bool] = {}

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._close()
        self._feeds = self._make_feeds()

    def before_run(self, run_context: Any) -> Any:
        """Returns what to feed; raises tf.errors.OutOfRangeError at the end of data."""
        original = run_context.original_args
        if self._feeds is None or not self._needed(original.fetches, original.feed_dict or {}):
            return None
        try:
            feed = next(self._feeds)
        except StopIteration:
            raise tf.errors.OutOfRangeError(None, None, "end of data: there is no further batch to feed") from None
        return tf.train.SessionRunArgs(None, self._placeholders.feed_dict(*feed))

    def end(self, session: Any) -> None:
        self._close()

    def _close(self) -> None:
        close = getattr(self._feeds, "close", None)
        self._feeds = None
        if close is not None:
            close()

    def _needed(self, fetches: Any, fed: Dict[Any, Any]) -> bool:
        key = (frozenset(operations_of(fetches)), frozenset(operations_of(list(fed))))
        if key not in self._needs:
            reached = ancestors(list(key[0]), stop_at=key[1])
            self._needs[key] = not key[1] & self._own and bool(reached & self._own)
        return self._needs[key]
