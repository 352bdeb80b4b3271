"""FeedingQueueRunner: a QueueRunner that feeds its enqueue ops."""
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat.versions import tf

__all__ = ["FeedingQueueRunner"]


class _FeedingSession:
    """A session wrapper that feeds enqueue ops.

    Args:
      session: a weak reference to the session.
      feeds: op -> functions that return its feed_dict, one for each thread.
    """

    def __init__(self, session: Any, feeds: Dict[Any, List[Optional[Callable[[], Any]]]]) -> None:
        self._session = session
        self._feeds = {operation: list(functions) for operation, functions in feeds.items()}

    def make_callable(self, operation: Any, *args: Any, **kwargs: Any) -> Callable[[], Any]:
        """Returns a function that runs `operation`; each call uses the next function of its feeds."""
        functions = self._feeds.get(operation)
        feed = functions.pop() if functions else None
        return lambda: self.run(operation, feed_dict=None if feed is None else feed())

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Calls `session.run`.

        Raises:
          tf.errors.CancelledError: the session was garbage collected.
        """
        session = self._session()
        if session is None:
            raise tf.errors.CancelledError(None, None, "the session was garbage collected")
        return session.run(*args, **kwargs)


class FeedingQueueRunner(tf.train.QueueRunner):
    """A tf.train.QueueRunner whose enqueue ops are fed by functions.

    Args:
      queue: the queue.
      enqueue_ops: one op for each thread.
      close_op: closes the queue.
      cancel_op: closes the queue and cancels pending enqueue ops.
      feed_fns: for each op a function that returns a feed_dict, or None.
      queue_closed_exception_types: exceptions that mean that the queue is closed.

    Raises:
      ValueError: the numbers of functions and ops differ.
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
        self._feeding_sessions: Any = weakref.WeakKeyDictionary()

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> Any:
        """Returns the threads that fill the queue; see tf.train.QueueRunner."""
        if sess not in self._feeding_sessions:
            self._feeding_sessions[sess] = _FeedingSession(weakref.ref(sess), self._feeds)
        return super().create_threads(self._feeding_sessions[sess], coord, daemon, start)

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """Raises NotImplementedError: Python functions can't be serialized."""
        raise NotImplementedError("{} does not support serialization to proto.".format(type(self).__name__))
