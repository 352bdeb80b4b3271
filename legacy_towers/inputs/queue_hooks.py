"""Hooks beside queues: what stopped a queue runner, and threads that put what Python code yields into a queue."""
import sys
import threading
import warnings
from typing import Any, Callable, Iterable, List, Sequence, Tuple

import numpy as np

from legacy_towers import structure
from legacy_towers.closed_queues import ClosedQueueCheck
from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.inputs.aligned import aligned_empty
from legacy_towers.inputs.base import InputHook
from legacy_towers.inputs.check_feed import fit

# How long the threads may take to end behind a stop. One that is in code which doesn't come back is left behind.
_GRACE_SECONDS = 5.0


class RaiseRunnerErrors(tf.train.SessionRunHook):
    """Raises what stopped a queue runner at the next run, instead of the closed queue that it left behind."""

    in_each_run = ""  # a run that it doesn't see fails anyway
    _coordinator: Any = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._coordinator = coord

    def before_run(self, run_context: Any) -> None:
        if self._coordinator is not None:
            self._coordinator.raise_requested_exception()

    def end(self, session: Any) -> None:
        self._coordinator = None


class FeedQueueHook(InputHook):
    """Threads that fill a queue with what iterators yield, as a queue runner fills one with what the graph computes.

    An item is one example, or a batch of examples, which has one axis more in each component: it is put in example by
    example. At the end of the last iterator the queue is closed. An error in an iterator stops the coordinator, which
    raises it with its own traceback, and cancels what waits for the queue; a stop ends the threads.

    What an iterator yields may be written again when the next item is asked for: the queue has a copy.
    """

    def __init__(self, queue: Any, makers: Sequence[Callable[[], Iterable[Any]]]) -> None:
        """Makes the operations in the default graph.

        Args:
          queue: a tf.QueueBase.
          makers: functions that return an iterator, called in each new session, each in a thread of its own.
        """
        super().__init__()
        self._makers = list(makers)
        self._lock = threading.Lock()
        with tf.name_scope("feed_queue"):
            self._one = [tf.placeholder(dtype, shape) for dtype, shape in zip(queue.dtypes, queue.shapes)]
            self._spec = _named(queue, self._one)
            self._enqueue = queue.enqueue(self._spec)
            self._many: List[Any] = []
            self._enqueue_many: Any = None
            if all(shape.ndims is not None for shape in queue.shapes):
                self._many = [
                    tf.placeholder(dtype, tf.TensorShape([None]).concatenate(shape))
                    for dtype, shape in zip(queue.dtypes, queue.shapes)
                ]
                self._enqueue_many = queue.enqueue_many(_named(queue, self._many))
            self._close = queue.close()
            self._cancel = queue.close(cancel_pending_enqueues=True)
            self._check_open = ClosedQueueCheck([queue])

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Starts the threads; raises InputError where the queue was closed in this session already."""
        self._check_open(session)
        left = _CountDown(len(self._makers))
        feeders = [
            threading.Thread(target=self._feed, args=(session, coord, make, left), name="legacy_towers queue feed")
            for make in self._makers
        ]
        watch = threading.Thread(
            target=self._watch, args=(session, coord, feeders), name="legacy_towers queue feed watch"
        )
        coord.register_thread(watch)
        for thread in [watch] + feeders:
            thread.daemon = True
            thread.start()

    def _feed(self, session: Any, coord: Any, make: Callable[[], Iterable[Any]], left: "_CountDown") -> None:
        iterator = None
        try:
            iterator = iter(make())
            for number, item in enumerate(iterator):
                if coord.should_stop():
                    break
                operation, feed_dict = self._fed(number, item)
                del item
                try:
                    session.run(operation, feed_dict)
                except (tf.errors.CancelledError, RuntimeError):
                    if not coord.should_stop():  # otherwise the queue or the session was closed by the end of the run
                        raise
                    break
                del feed_dict
        except tf.errors.OutOfRangeError:
            pass  # the end of the data too: of a session that the iterator reads from
        except BaseException:
            coord.request_stop(sys.exc_info())
        finally:
            try:
                close = getattr(iterator, "close", None)
                if close is not None:
                    close()  # by its own thread: a generator can't be closed while another one runs it
                if left.is_last() and not coord.should_stop():
                    session.run(self._close)
            except BaseException:
                if not coord.should_stop():
                    coord.request_stop(sys.exc_info())

    def _watch(self, session: Any, coord: Any, feeders: List[threading.Thread]) -> None:
        coord.wait_for_stop()
        try:
            # Wakes a thread that waits for room, and a step that waits for examples.
            session.run(self._cancel)
        except (tf.errors.OpError, RuntimeError):
            pass  # the session is closed, and all that waited in it is awake
        for thread in feeders:
            thread.join(_GRACE_SECONDS)
        if any(thread.is_alive() for thread in feeders):
            warnings.warn(
                "a thread that fills a queue has not ended within {:.0f} s after the session: the code given as "
                "feed_with is still waiting or computing; the thread is left behind, and ends with the process".format(
                    _GRACE_SECONDS
                ),
                stacklevel=2,
            )

    def _fed(self, number: int, item: Any) -> Tuple[Any, Any]:
        """Returns the enqueue operation for an item, and what to feed it."""
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
            raise InputError("{}: the components hold different numbers of examples: {}".format(
                where, ", ".join(str(len(array)) for array in arrays)
            ))
        size = sum(array.nbytes for array in arrays)
        copied = 0
        if not many:
            # The queue keeps the very memory that is fed, if it is aligned. (Of a batch it copies each example.)
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
    """Says to the last of several threads that it is the last."""

    def __init__(self, number: int) -> None:
        self._left = number
        self._lock = threading.Lock()

    def is_last(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left == 0


def _named(queue: Any, components: List[Any]) -> Any:
    """Returns the components as one element of the queue, in the form that its `dequeue` gives."""
    if queue.names:
        return dict(zip(queue.names, components))
    return components[0] if len(components) == 1 else list(components)


def _copy(array: np.ndarray) -> np.ndarray:
    if array.dtype.hasobject or array.dtype.kind in "SU":
        return array  # TensorFlow copies strings always
    copy = aligned_empty(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy
