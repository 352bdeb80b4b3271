"""Runs an iterator in a background thread that produces some items in advance and ends with the session."""
import collections
import sys
import threading
import time
import warnings
from typing import Any, Callable, Deque, Iterable, Iterator, List, Optional

import six

from legacy_towers.compat.versions.session import is_closed
from legacy_towers.tensor_types import Coordinator, Session

# Seconds that an error waits for the items produced before it to be taken. Then the next run raises it, and the
# coordinator gets it too, in case the main thread is not in a run.
_ERROR_DELAY_SECONDS = 2.0
# Seconds that the thread may take to end, which it does between two items; after that it is abandoned.
_GRACE_SECONDS = 5.0
# Seconds between two checks for what has no event to wait for.
_POLL_SECONDS = 0.5


class BackgroundIterator:
    """The items of an iterator, in their order, produced in a background thread.

    The thread is a daemon. It ends with the items, when `stop` is called, or when the session ends: when the session's
    coordinator stops or, without one, when the session is closed.
    """

    def __init__(self, make_iterator: Callable[[], Iterator[Any]], capacity: int, items: Iterable[Any] = ()) -> None:
        """
        Args:
          make_iterator: returns the iterator. All its code runs in the thread.
          capacity: number of items produced in advance.
          items: items that exist already and come first.
        """
        self._make_iterator = make_iterator
        self._capacity = capacity
        self._items: Deque[Any] = collections.deque(items)
        self._changed = threading.Condition()
        self._stopping = False
        self._ended = False
        self._error: Any = None  # sys.exc_info() of what the iterator raised
        self._error_time = 0.0
        self._stopped = threading.Event()
        self._stop_lock = threading.Lock()
        self._producer = threading.Thread(target=self._produce, name="legacy_towers feed")
        self._producer.daemon = True

    def start(self, session: Session, coordinator: Optional[Coordinator]) -> None:
        """Starts the thread, and another one that stops it with the session."""
        watch = threading.Thread(
            target=self._watch, name="legacy_towers feed watch", args=(session, coordinator)
        )
        watch.daemon = True
        self._producer.start()
        watch.start()
        if coordinator is not None:
            coordinator.register_thread(watch)

    def take(self) -> Any:
        """Waits for the next item and returns it, or None after the last one. Raises the error of the iterator."""
        with self._changed:
            while True:
                if self._error is not None and (not self._items or self._is_overdue()):
                    six.reraise(*self._error)
                if self._items:
                    self._changed.notify_all()
                    return self._items.popleft()
                if self._ended or self._stopping:
                    return None
                self._changed.wait()

    def stop(self) -> None:
        """Stops the thread and waits some seconds for it; warns if it does not end."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        with self._stop_lock:  # the end of the session and the watch may both call it: one waits and warns
            if self._stopped.is_set():
                return
            self._stopped.set()
            if self._producer.ident is not None:
                self._producer.join(_GRACE_SECONDS)
            if self._producer.is_alive():
                warnings.warn(
                    "the thread that makes batches in the background has not ended within {:.0f} s after the session, "
                    "because the code that makes them is still waiting or computing; the thread ends with the "
                    "process".format(_GRACE_SECONDS),
                    stacklevel=2,
                )

    @property
    def is_alive(self) -> bool:
        """Whether the thread runs."""
        return self._producer.is_alive()

    def remaining(self) -> List[Any]:
        """Returns the items that were produced but not taken, after `stop`."""
        with self._changed:
            return list(self._items)

    def _produce(self) -> None:
        iterator = None
        try:
            iterator = self._make_iterator()
            for item in iterator:
                with self._changed:
                    self._items.append(item)
                    # A reference here would prevent the reuse of its memory.
                    del item
                    self._changed.notify_all()
                    while len(self._items) >= self._capacity and not self._stopping:
                        self._changed.wait()
                    if self._stopping:
                        break
        except BaseException:
            self._fail()
        finally:
            try:
                close = getattr(iterator, "close", None)
                if close is not None:
                    close()  # in this thread: a generator can't be closed while another thread runs it
            except BaseException:
                self._fail()
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _fail(self) -> None:
        with self._changed:
            if self._error is None:
                self._error_time = time.perf_counter()
                self._error = sys.exc_info()
            self._changed.notify_all()

    def _is_overdue(self) -> bool:
        return time.perf_counter() - self._error_time > _ERROR_DELAY_SECONDS

    def _watch(self, session: Session, coordinator: Optional[Coordinator]) -> None:
        while not self._stopped.is_set():
            if coordinator is None:
                if self._stopped.wait(_POLL_SECONDS) or is_closed(session):
                    break
                continue
            if coordinator.wait_for_stop(_POLL_SECONDS):
                break
            with self._changed:
                error = self._error if self._error is not None and self._is_overdue() else None
            if error is not None:
                coordinator.request_stop(error)
        self.stop()
