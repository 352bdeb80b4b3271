"""Fills a queue for some epochs, where its queue runner would fill it for ever."""
import threading
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Coordinator, Operation, Session


class EpochRunner:
    """Runs operations that fill a queue, each a given number of times, and closes the queue then.

    Args:
      limits: (operation, how often it runs; None: until its input ends), one for each thread.
      close_op: closes the queue.
      cancel_op: closes the queue and frees what waits for it.
    """

    def __init__(self, limits: Sequence[Tuple[Operation, Optional[int]]], close_op: Any, cancel_op: Any) -> None:
        self._limits = list(limits)
        self._close, self._cancel = close_op, cancel_op
        self._lock = threading.Lock()
        self._running = len(self._limits)

    def create_threads(
        self, sess: Session, coord: Coordinator, daemon: bool = True, start: bool = True
    ) -> List[threading.Thread]:
        """Starts the threads, and one that frees them when the coordinator stops."""
        self._running = len(self._limits)
        threads = [threading.Thread(target=self._run, args=(sess, coord) + limit) for limit in self._limits]
        threads.append(threading.Thread(target=self._free, args=(sess, coord)))
        for thread in threads:
            thread.daemon = daemon
            coord.register_thread(thread)
            thread.start()
        return threads

    def _run(self, session: Session, coordinator: Coordinator, operation: Operation, limit: Optional[int]) -> None:
        number = 0
        try:
            while not coordinator.should_stop() and (limit is None or number < limit):
                session.run(operation)
                number += 1
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError):
            pass  # the end of what it reads, or of the run
        except Exception as error:
            coordinator.request_stop(error)
            return
        with self._lock:
            self._running -= 1
            last = not self._running
        if last and not coordinator.should_stop():
            try:
                session.run(self._close)
            except (RuntimeError, tf.errors.CancelledError) as error:  # the session is closed
                del error

    def _free(self, session: Session, coordinator: Coordinator) -> None:
        coordinator.wait_for_stop()
        try:
            session.run(self._cancel)
        except (RuntimeError, tf.errors.CancelledError) as error:  # the session is closed
            del error
