"""A queue runner whose readers leave out what steps used before the run resumed. Afterwards it costs nothing."""
import sys
import threading
from typing import Any, Callable, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Coordinator, Operation, Session, Tensor

# Records that one session run discards.
_AT_A_TIME = 1000


class SkippingRunner(tf.train.QueueRunner):
    """A queue runner that discards records before its threads start, and then leaves out single ones.

    Args:
      read: creates the operations that read a record, and returns its tensors.
      begin: begins a session, and returns how many records to discard.
      selecting: an operation for each reader that enqueues the next example that was not used before; () for none.
      selects: returns whether there are examples to leave out.
      others: of `tf.train.QueueRunner`.
    """

    def __init__(
        self,
        queue: Any,
        enqueues: Sequence[Operation],
        read: Callable[[], Any],
        begin: Callable[[], int],
        selecting: Sequence[Operation] = (),
        selects: Callable[[], bool] = lambda: False,
        **others: Any
    ) -> None:
        super().__init__(queue, list(enqueues), **others)
        self._begin = begin
        self._selecting = list(selecting)
        self._selects = selects
        self._number = tf.placeholder(tf.int64, [], name="discarded")
        self._discard = _discarding(read, self._number)

    def create_threads(
        self, sess: Session, coord: Optional[Coordinator] = None, daemon: bool = False, start: bool = False
    ) -> List[Any]:
        """Discards records, and creates the threads of `tf.train.QueueRunner`."""
        threads: List[Any] = super().create_threads(sess, coord, daemon, start=False)
        if threads:  # otherwise they run in this session
            left = self._begin()
            while left > 0:
                number = min(left, _AT_A_TIME)
                sess.run(self._discard, {self._number: number})
                left -= number
        if threads and self._selects():
            threads = [
                self._after_selecting(thread, number, sess, coord, daemon)
                if number < len(self.enqueue_ops) else thread  # the last one closes the queue
                for number, thread in enumerate(threads)
            ]
        if start:
            for thread in threads:
                thread.start()
        return threads

    def _after_selecting(
        self, thread: Any, number: int, session: Session, coord: Optional[Coordinator], daemon: bool
    ) -> threading.Thread:
        """Returns a thread that enqueues selected examples while there are examples to leave out, and then all."""
        enqueue = self._selecting[number % len(self._selecting)]

        def run() -> None:
            try:
                while self._selects() and not (coord is not None and coord.should_stop()):
                    session.run(enqueue)
            except tf.errors.OutOfRangeError:
                pass  # the thread meets the end of the data too, and closes the queue
            except Exception:
                if coord is None:
                    raise
                coord.request_stop(sys.exc_info())
            thread.run()

        created = threading.Thread(target=run, name=thread.name)
        created.daemon = daemon
        if coord is not None:
            coord.register_thread(created)
        return created


def selected(read: Callable[[], Any], keeps: Callable[[Any], Any]) -> Any:
    """Returns the next record of a reader that is kept.

    Args:
      read: creates the operations that read a record, whose first tensor is its id, and returns its tensors.
      keeps: decides by an id whether its record is kept.
    """
    first = read()

    def and_whether_kept(record: Any) -> List[Tensor]:
        tensors = tf.nest.flatten(record)
        kept = tf.numpy_function(keeps, [tensors[0]], tf.bool)
        kept.set_shape([])
        return [kept] + tensors

    def read_again(*_: Any) -> List[Tensor]:
        return and_whether_kept(read())

    taken = tf.while_loop(
        lambda kept, *_: tf.logical_not(kept), read_again, and_whether_kept(first), parallel_iterations=1
    )
    return tf.nest.pack_sequence_as(first, taken[1:])


def _discarding(read: Callable[[], Any], number: Tensor) -> Any:
    """Returns an operation that reads `number` records, one after the other."""

    def read_one(index: Any) -> Any:
        with tf.control_dependencies(tf.nest.flatten(read())):
            return index + 1

    return tf.while_loop(lambda index: index < number, read_one, [tf.constant(0, tf.int64)], parallel_iterations=1).op
