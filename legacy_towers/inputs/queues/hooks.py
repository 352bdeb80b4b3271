"""Hooks for queues: one raises the errors of queue runners, one fills a queue from Python iterators."""
import sys
import threading
import warnings
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import InputError
from legacy_towers.graph.closed_queues import ClosedQueueCheck
from legacy_towers.inputs.base import InputHook
from legacy_towers.inputs.feeds.aligned import aligned_empty
from legacy_towers.inputs.feeds.checks import fit
from legacy_towers.inputs.logged_position import ItemsPosition
from legacy_towers.inputs.queues.batches import named_components
from legacy_towers.inputs.record_files import explaining
from legacy_towers.tensor_types import Coordinator, Session, SessionRunHook

# Seconds that a thread may take to end after a stop. One whose code does not return is abandoned.
_GRACE_SECONDS = 5.0


class RaiseRunnerErrors(tf.train.SessionRunHook):
    """Raises an error of a queue runner in the next run, instead of the error of the queue that it closed.

    Args:
      record_hooks: hooks that can name the record of an error.
    """

    per_run_action = ""  # without it, a run fails with another error
    _coordinator: Any = None

    def __init__(self, record_hooks: Sequence[SessionRunHook] = ()) -> None:
        self._record_hooks = record_hooks

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._coordinator = coord

    def before_run(self, run_context: Any) -> None:
        if self._coordinator is not None:
            with explaining(self._record_hooks):
                self._coordinator.raise_requested_exception()

    def end(self, session: Session) -> None:
        self._coordinator = None


class FeedQueueHook(InputHook):
    """Fills a queue with the items of Python iterators, each in its own thread, as a queue runner fills one.

    An item is an example, or a batch of examples with one more axis in each component, which is enqueued example by
    example. When all iterators have ended, the queue is closed. An error in an iterator stops the coordinator, which
    raises it with its traceback, and cancels everything that waits for the queue. A stop ends the threads.

    The queue copies an item, so that the iterator may reuse its arrays for the next one.
    """

    def __init__(
        self,
        queue: Any,
        makers: Sequence[Callable[[], Iterable[Any]]],
        position: Optional[ItemsPosition] = None,
    ) -> None:
        """Creates the operations in the default graph.

        Args:
          makers: functions that return an iterator; each is called in each new session, in its own thread.
          position: where the iterators of the only function begin; None: they report no position.
        """
        super().__init__()
        self._position = position
        self._makers = list(makers)
        self._lock = threading.Lock()
        with tf.name_scope("feed_queue"):
            self._one = [tf.placeholder(dtype, shape) for dtype, shape in zip(queue.dtypes, queue.shapes)]
            self._spec = named_components(queue, self._one)
            self._enqueue = queue.enqueue(self._spec)
            self._many: List[Any] = []
            self._enqueue_many: Any = None
            if all(shape.ndims is not None for shape in queue.shapes):
                self._many = [
                    tf.placeholder(dtype, tf.TensorShape([None]).concatenate(shape))
                    for dtype, shape in zip(queue.dtypes, queue.shapes)
                ]
                self._enqueue_many = queue.enqueue_many(named_components(queue, self._many))
            self._close = queue.close()
            self._cancel = queue.close(cancel_pending_enqueues=True)
            self._check_open = ClosedQueueCheck([queue])

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Starts the threads; raises InputError if the queue is closed in this session already."""
        self._check_open(session)
        if self._position is not None:
            self._position.begin()
        running = _CountDown(len(self._makers))
        feeders = [
            threading.Thread(target=self._feed, args=(session, coord, make, running), name="legacy_towers queue feed")
            for make in self._makers
        ]
        watch = threading.Thread(
            target=self._watch, args=(session, coord, feeders), name="legacy_towers queue feed watch"
        )
        coord.register_thread(watch)
        for thread in [watch] + feeders:
            thread.daemon = True
            thread.start()

    def _feed(
        self, session: Session, coord: Coordinator, make: Callable[[], Iterable[Any]], running: "_CountDown"
    ) -> None:
        iterator = None
        try:
            iterator = iter(make()) if self._position is None else self._position.log.items(make, 0, self._with_size)
            for number, item in enumerate(iterator):
                if coord.should_stop():
                    break
                if self._position is None:
                    item = self._values(number, item)
                else:
                    _, (many, arrays), used = item
                    item = many, [array[used:] for array in arrays] if used else arrays
                operation, feed_dict = self._enqueue_values(*item)
                del item
                try:
                    session.run(operation, feed_dict)
                except (tf.errors.CancelledError, RuntimeError):
                    if not coord.should_stop():  # otherwise the session's end closed the queue
                        raise
                    break
                del feed_dict
        except tf.errors.OutOfRangeError:
            pass  # the end of the data, in a session that the iterator reads from
        except BaseException:
            coord.request_stop(sys.exc_info())
        finally:
            try:
                close = getattr(iterator, "close", None)
                if close is not None:
                    close()  # in this thread: a generator can't be closed while another thread runs it
                if running.is_last() and not coord.should_stop():
                    session.run(self._close)
            except BaseException:
                if not coord.should_stop():
                    coord.request_stop(sys.exc_info())

    def _watch(self, session: Session, coord: Coordinator, feeders: List[threading.Thread]) -> None:
        coord.wait_for_stop()
        try:
            # Wakes threads that wait for free capacity, and a step that waits for examples.
            session.run(self._cancel)
        except (tf.errors.OpError, RuntimeError):
            pass  # the session is closed, which wakes everything that waits in it
        for thread in feeders:
            thread.join(_GRACE_SECONDS)
        if any(thread.is_alive() for thread in feeders):
            warnings.warn(
                "a thread that fills a queue has not ended within {:.0f} s after the session, because the function "
                "given as feed_with is still waiting or computing; the thread ends with the process".format(
                    _GRACE_SECONDS
                ),
                stacklevel=2,
            )

    def _with_size(self, number: int, item: Any) -> Tuple[Any, Sequence[np.ndarray], int]:
        """Returns what `_values` returns, its arrays, and the number of examples."""
        many, arrays = self._values(number, item)
        return (many, arrays), arrays, len(arrays[0]) if many else 1

    def _values(self, number: int, item: Any) -> Tuple[bool, List[np.ndarray]]:
        """Returns whether an item is a batch, and its arrays, checked."""
        where = "item {} of feed_with".format(number)
        values, wrong = structure.leaves_like(self._spec, item)
        if wrong:
            raise InputError("{}: {}".format(where, wrong))
        paths = [path for path, _ in structure.leaves(self._spec)]
        names = ["{}, component {!r}".format(where, path) if path else where for path in paths]
        many = self._is_batch(values)
        placeholders = self._many if many else self._one
        arrays = [fit(value, leaf, name) for value, leaf, name in zip(values, placeholders, names)]
        if many and len({len(array) for array in arrays}) > 1:
            raise InputError("{}: the components have different numbers of examples: {}".format(
                where, ", ".join(str(len(array)) for array in arrays)
            ))
        return many, arrays

    def _enqueue_values(self, many: bool, arrays: List[np.ndarray]) -> Tuple[Any, Any]:
        """Returns the enqueue operation for an item, and its feed_dict."""
        placeholders = self._many if many else self._one
        size = sum(array.nbytes for array in arrays)
        copied = 0
        if not many:
            # A queue retains the memory of an aligned array that is fed. (From a batch it copies each example.)
            copied = sum(array.nbytes for array in arrays if not array.dtype.hasobject)
            arrays = [_copy(array) for array in arrays]
        with self._lock:
            self.fed_bytes += size
            self.copied_bytes += copied
        return self._enqueue_many if many else self._enqueue, dict(zip(placeholders, arrays))

    def _is_batch(self, values: List[Any]) -> bool:
        if not self._many:
            return False
        return all(np.ndim(value) == leaf.shape.ndims for value, leaf in zip(values, self._many))


class _CountDown:
    """Counts the threads that are still running, to find the last one."""

    def __init__(self, number: int) -> None:
        self._running = number
        self._lock = threading.Lock()

    def is_last(self) -> bool:
        with self._lock:
            self._running -= 1
            return self._running == 0


def _copy(array: np.ndarray) -> np.ndarray:
    if array.dtype.hasobject or array.dtype.kind in "SU":
        return array  # TensorFlow always copies strings
    copy = aligned_empty(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy
