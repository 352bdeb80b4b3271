"""Publishes a text on this task's server and reads those of other tasks, by variables of TensorFlow.

The operations are those that TensorFlow has had since 1.0 (VariableV2, Assign), so that tasks with different versions
can read each other's text and report it: tried between 1.15.5 and 2.21, both ways.
"""
import contextlib
import threading
import time
from typing import Any, Iterator, Optional, Tuple

from legacy_towers.cluster.addresses import is_refused
from legacy_towers.cluster.value import Task
from legacy_towers.compat import tf
from legacy_towers.tensor_types import Session

_NAME = "legacy_towers_start"
# A call to a task that does not answer returns after this.
_CALL_SECONDS = 2.0
# The server of this process always answers, but not soon if the machine is busy.
_OWN_CALL_SECONDS = 60.0
_TRIES = 5


def publish(target: str, task: Task, text: str) -> None:
    """Sets the text that a task publishes.

    Args:
      target: the target of the server of this process.
      task: the task that this process is.
    """
    graph, _, given, assign = _graph(task)
    for tries_left in reversed(range(_TRIES)):
        try:
            with session_on(target, graph, _config(task, _OWN_CALL_SECONDS)) as session:
                session.run(assign, {given: text})
            return
        except tf.errors.AbortedError:
            # Another process that takes itself for this task has connected: TensorFlow drops the session then.
            if not tries_left:
                raise


def published(target: str, task: Task, seconds: float = _OWN_CALL_SECONDS) -> Optional[bytes]:
    """Returns the text that a task publishes; None if there is none.

    Args:
      target: the target of the task's server.
      seconds: how long to wait for it.

    Raises:
      tf.errors.OpError: it does not answer.
    """
    graph, value, _, _ = _graph(task)
    with session_on(target, graph, _config(task, seconds)) as session:
        try:
            return bytes(session.run(value))
        except tf.errors.FailedPreconditionError:
            return None


class Reader(threading.Thread):
    """Reads what one other task publishes, again and again, in a thread; `read` has the newest text.

    Attributes:
      task: the other task.
      address: its address, "host:port".
      is_other_task: whether the server at the address is that of another task.
      answered_at: when the last call that succeeded ended, by time.monotonic(); None before.
      failed_calls: how many calls have failed since.
      refused_since: since when nothing listens at the address, by time.monotonic(); None if something does.
    """

    def __init__(
        self, task: Task, address: str, changed: threading.Condition, seconds_between: float = 0.1
    ) -> None:
        super().__init__(name="read " + str(task), daemon=True)
        self.task = task
        self.address = address
        self.is_other_task = False
        self.answered_at: Optional[float] = None
        self.failed_calls = 0
        self.refused_since: Optional[float] = None
        self._seconds_between = seconds_between
        self._changed = changed
        self._ended = threading.Event()
        self._is_over = threading.Event()
        self._text: Optional[bytes] = None
        self._error = ""

    def read(self) -> Tuple[Optional[bytes], str]:
        """Returns the newest text, None if there was never one, and the error of the last attempt, "" without one."""
        return self._text, self._error

    @property
    def trouble(self) -> str:
        """Why the last attempt failed, such as "nothing listens there"; "" if it did not."""
        if not self._error:
            return ""
        if self.refused_since is not None:
            return "nothing listens there"
        return "no answer" if self._error in ("DeadlineExceededError", "UnavailableError") else self._error

    def run(self) -> None:
        try:
            self._read_until_ended()
        finally:
            self._is_over.set()

    def _read_until_ended(self) -> None:
        graph, value, _, _ = _graph(self.task)
        while not self._ended.is_set():
            try:
                # Directly on its server: a session of one's own would first wait for all tasks of the cluster.
                with session_on("grpc://" + self.address, graph, _config(self.task)) as session:
                    while not self._ended.is_set():
                        self._set(self._answer(session, value), "")
                        self.answered_at, self.failed_calls, self.refused_since = time.monotonic(), 0, None
                        self._ended.wait(self._seconds_between)
            except tf.errors.FailedPreconditionError:  # it has not published anything yet
                self.answered_at, self.failed_calls, self.refused_since = time.monotonic(), 0, None
                self._ended.wait(0.1)
            except tf.errors.InvalidArgumentError:  # the server has no device of this task
                self.is_other_task = True
                self._set(None, "InvalidArgumentError")
                self.failed_calls += 1
                self._ended.wait(0.2)
            except tf.errors.OpError as error:
                self._set(self._text, type(error).__name__)
                self.failed_calls += 1
                self._update_refused()
                # Makes no call until something listens there: each call, and `end`, would take the whole timeout.
                while not self._ended.wait(0.2) and self.refused_since is not None:
                    self._update_refused()

    def _answer(self, session: Session, value: Any) -> Any:
        try:
            return session.run(value)
        except tf.errors.OpError:
            # Before the session is closed, which takes seconds if its server has ended.
            self._update_refused()
            raise

    def _update_refused(self) -> None:
        self.refused_since = (self.refused_since or time.monotonic()) if is_refused(self.address) else None

    def end(self) -> None:
        """Ends the thread after the call that it is in."""
        self._ended.set()

    def wait_until_over(self, seconds: Optional[float] = None) -> None:
        """Waits until the thread makes no more calls, for `seconds` at most.

        In place of `join`: Python 3.9 to 3.12 take a thread for ended after a `join` that a signal's handler has ended.
        """
        self._is_over.wait(seconds)

    def _set(self, text: Optional[bytes], error: str) -> None:
        with self._changed:
            self._text, self._error = text, error
            self._changed.notify_all()


@contextlib.contextmanager
def session_on(target: str, graph: Any, config: Any) -> Iterator[Session]:
    """Creates a session on the server of a task that may end, and closes it without an error.

    TensorFlow's own context manager would close it in a thread, where an error is printed if the server has ended.
    """
    session = tf.Session(target, graph=graph, config=config)
    try:
        yield session
    finally:
        with contextlib.suppress(tf.errors.OpError):
            session.close()


def _graph(task: Task) -> Tuple[Any, Any, Any, Any]:
    """Returns a graph, the tensor of the published text, the placeholder of a new one, and what assigns it."""
    graph = tf.Graph()
    with graph.as_default(), tf.device(task.device + "/cpu:0"):
        variable = tf.raw_ops.VariableV2(shape=[], dtype=tf.string, shared_name=_NAME, container="")
        given = tf.placeholder(tf.string, [])
        assign = tf.raw_ops.Assign(ref=variable, value=given)
        return graph, tf.identity(variable), given, assign.op


def _config(task: Task, seconds: float = _CALL_SECONDS) -> Any:
    config = tf.ConfigProto(device_filters=[task.device])
    config.operation_timeout_in_ms = int(seconds * 1000)
    return config
