"""A QueueRunner whose enqueue operations are fed."""
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import tf

__all__ = ["FeedingQueueRunner"]


class _FedSession:
    """A session that feeds an enqueue operation whenever that is run.

    Args:
      session: a weak reference to the session.
      feeds: operation -> functions that give its feeds, one for each thread.
    """

    def __init__(self, session: Any, feeds: Dict[Any, List[Optional[Callable[[], Any]]]]) -> None:
        self._session = session
        self._feeds = {operation: list(functions) for operation, functions in feeds.items()}

    def make_callable(self, operation: Any, *args: Any, **kwargs: Any) -> Callable[[], Any]:
        """Returns what runs `operation`; the next thread that asks for it gets the next function of its feeds."""
        functions = self._feeds.get(operation)
        feed = functions.pop() if functions else None
        return lambda: self.run(operation, feed_dict=None if feed is None else feed())

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs what the session runs.

        Raises:
          tf.errors.CancelledError: the session is gone.
        """
        session = self._session()
        if session is None:
            raise tf.errors.CancelledError(None, None, "the session is gone")
        return session.run(*args, **kwargs)


class FeedingQueueRunner(tf.train.QueueRunner):
    """Fills a queue with what functions give.

    Args:
      queue: the queue.
      enqueue_ops: one operation for each thread.
      close_op: closes the queue.
      cancel_op: closes it, and cancels what waits.
      feed_fns: for each operation a function that returns a feed_dict, or None.
      queue_closed_exception_types: what tells that the queue was closed.

    Raises:
      ValueError: there are not as many functions as operations.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Optional[Sequence[Any]] = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Optional[Sequence[Any]] = None,
        queue_closed_exception_types: Any = None,
    ) -> None:
        closed = queue_closed_exception_types or (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        super().__init__(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types=closed)
        operations = list(enqueue_ops or ())
        functions = [None] * len(operations) if feed_fns is None else list(feed_fns)
        if len(functions) != len(operations):
            raise ValueError("If feed_fns is not None, it must have the same length as enqueue_ops.")
        self._feeds: Dict[Any, List[Any]] = {}
        for operation, function in reversed(list(zip(operations, functions))):
            self._feeds.setdefault(operation, []).append(function)
        self._fed: Any = weakref.WeakKeyDictionary()

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> Any:
        """Returns the threads that fill the queue, see tf.train.QueueRunner."""
        if sess not in self._fed:
            self._fed[sess] = _FedSession(weakref.ref(sess), self._feeds)
        return super().create_threads(self._fed[sess], coord, daemon, start)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Python functions can't be written into a graph.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError("{} does not support serialization to proto.".format(type(self).__name__))
