"""A run that waits inside TensorFlow, seen and ended from another thread.

`session.run` that waits for a batch can't be interrupted by Python. What wakes it, and what does not (tried on 1.15 and
2.21): closing a queue wakes a dequeue, stopping the coordinator wakes the waiting of our own threads and hooks. Nothing
wakes a get or a put of a staging area, an iterator whose generator waits, or a py_func; `session.close` then waits as
well. There the process has to end while the run still waits.
"""
import os
import sys
import threading
import time
from typing import Any, Iterator, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import is_closed, raw_session
from legacy_towers.graph.local_queues import local_queues

# How long the values must have been unchanged after a save beside a blocked run: a step that began to write them
# meanwhile has completed by then, and counted itself.
_UNCHANGED_SECONDS = 1.0

_MONITORED = os.path.join("python", "training", "monitored_session.py")
_RUNNING = os.path.join("legacy_towers", "step", "running.py")


class BlockedRun:
    """The run of a session that may wait forever.

    To be created before the graph is finalized.
    """

    def __init__(self) -> None:
        with tf.name_scope("cancelled_input"):
            closes = []
            for queue in local_queues():
                with tf.device(queue.queue_ref.device):
                    closes.append(queue.close(cancel_pending_enqueues=True))
            self._close_queues = tf.group(*closes) if closes else None
        self._session: Any = None
        self._coordinator: Any = None
        self._thread: Optional[int] = None
        self._is_cancelled = False

    def attach(self, session: Any, coordinator: Any) -> None:
        """Takes a new session, which the current thread runs."""
        self._session, self._coordinator = session, coordinator
        self._thread = threading.get_ident()
        self._is_cancelled = False

    @property
    def session(self) -> Any:
        """The session; None before it is created."""
        return self._session

    @property
    def thread(self) -> Optional[int]:
        """The identifier of the session's thread."""
        return self._thread

    def is_in_run(self) -> bool:
        """Returns whether the session's thread is in a run: before or in TensorFlow, not in an `after_run`."""
        names = [(frame.f_code.co_filename, frame.f_code.co_name) for frame in self._frames()]
        runs = any(
            (path.endswith(_MONITORED) and name == "run") or (path.endswith(_RUNNING) and name == "__call__")
            for path, name in names
        )
        return runs and not any(name in ("after_run", "after_create_session") for _, name in names)

    def is_closing(self) -> bool:
        """Returns whether the session's thread waits for the end of the session: of its threads, or of TensorFlow's."""
        raw = raw_session(self._session)
        ending = (("join", self._coordinator), ("close", raw), ("close", self._session))
        for frame in self._frames():
            owner = frame.f_locals.get("self")
            if owner is not None and any(frame.f_code.co_name == name and owner is each for name, each in ending):
                return True
        return False

    def is_over(self) -> bool:
        """Returns whether the session is closed, and its thread does not wait for that any more."""
        return self._session is not None and is_closed(self._session) and not self.is_closing()

    def cancel(self, error_info: Any = None) -> None:
        """Stops the input, so that a run that waits for it ends; returns at once.

        Args:
          error_info: `sys.exc_info()` of the error that the run raises then; None: the run reaches the end of the data.
        """
        if self._is_cancelled or self._session is None:
            return
        self._is_cancelled = True
        if self._coordinator is not None:
            self._coordinator.request_stop(error_info)
        if self._close_queues is not None:
            thread = threading.Thread(target=self._close, name="legacy_towers cancel")
            thread.daemon = True
            thread.start()

    def save(self, saving: Any) -> None:
        """Saves a checkpoint while the run waits, unless the run goes on meanwhile.

        Args:
          saving: an `lt.training.CheckpointHook`.

        Raises:
          SaveError: it can't be written, or the run has gone on: the checkpoint could have parts of two steps.
        """
        saving.save(self._session, self._is_unchanged)

    def _is_unchanged(self) -> bool:
        until = time.monotonic() + _UNCHANGED_SECONDS
        while time.monotonic() < until:
            if not self.is_in_run():
                return False
            time.sleep(0.05)
        return True

    def _close(self) -> None:
        try:
            self._session.run(self._close_queues)
        except (tf.errors.OpError, RuntimeError):
            pass  # the session is closed, which wakes them too

    def _frames(self) -> Iterator[Any]:
        frame = None if self._thread is None else sys._current_frames().get(self._thread)
        while frame is not None:
            yield frame
            frame = frame.f_back
