"""A thread that runs an iterator some items ahead of whoever takes them, and ends with the session."""
import collections
import sys
import threading
import time
import warnings
from typing import Any, Callable, Deque, Iterable, Iterator, List, Optional

import six

from legacy_towers.compat.session import is_closed

# How long an error waits behind the items that were made before it. After that the next run raises it at once, and the
# coordinator learns of it too, for a main thread that isn't in a run.
_PATIENCE_SECONDS = 2.0
# How long the thread may take to end. It ends between two items: code that doesn't come back is left behind.
_GRACE_SECONDS = 5.0
# How often a watch looks for what has no event to wait for.
_LOOK_SECONDS = 0.5


class Ahead:
    """Items of an iterator, made in a thread of their own, in their order.

    The thread is a daemon. It ends when the items do, when `stop` is called, or when the session ends: its coordinator
    stops, or, without one, it is closed.
    """

    def __init__(self, make_iterator: Callable[[], Iterator[Any]], capacity: int, items: Iterable[Any] = ()) -> None:
        """
        Args:
          make_iterator: called in the thread, as everything of the iterator is.
          capacity: how many items are made ahead.
          items: what comes first: items that are ready already.
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

    def start(self, session: Any, coordinator: Optional[Any]) -> None:
        """Starts the thread, and another one that ends it with the session."""
        watch = threading.Thread(
            target=self._watch, name="legacy_towers feed watch", args=(session, coordinator)
        )
        watch.daemon = True
        self._producer.start()
        watch.start()
        if coordinator is not None:
            coordinator.register_thread(watch)

    def take(self) -> Any:
        """Returns the next item, None after the last; waits for it. Raises what the iterator raised."""
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
        """Ends the thread and waits for it, some seconds at most; warns if it doesn't come back."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        with self._stop_lock:  # the session's end and the watch may both be here: one waits, and warns
            if self._stopped.is_set():
                return
            self._stopped.set()
            if self._producer.ident is not None:
                self._producer.join(_GRACE_SECONDS)
            if self._producer.is_alive():
                warnings.warn(
                    "the thread that makes batches in the background has not ended within {:.0f} s after the session: "
                    "your batches' code is still waiting or computing; it is left behind, and ends with the "
                    "process".format(_GRACE_SECONDS),
                    stacklevel=2,
                )

    @property
    def is_alive(self) -> bool:
        """Whether the thread runs."""
        return self._producer.is_alive()

    def left(self) -> List[Any]:
        """Returns the items that nobody took, after `stop`."""
        with self._changed:
            return list(self._items)

    def _produce(self) -> None:
        iterator = None
        try:
            iterator = self._make_iterator()
            for item in iterator:
                with self._changed:
                    self._items.append(item)
                    # Held here, its memory could not be used again.
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
                    close()  # by its own thread: a generator can't be closed while another one runs it
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
        return time.perf_counter() - self._error_time > _PATIENCE_SECONDS

    def _watch(self, session: Any, coordinator: Optional[Any]) -> None:
        while not self._stopped.is_set():
            if coordinator is None:
                if self._stopped.wait(_LOOK_SECONDS) or is_closed(session):
                    break
                continue
            if coordinator.wait_for_stop(_LOOK_SECONDS):
                break
            with self._changed:
                error = self._error if self._error is not None and self._is_overdue() else None
            if error is not None:
                coordinator.request_stop(error)
        self.stop()
