"""Private attributes of sessions: the session that is wrapped, its config, whether and how it is closed, callables."""
import functools
import threading
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence

if TYPE_CHECKING:
    from legacy_towers.compat.versions import tf


def raw_session(session: Any) -> "Optional[tf.Session]":
    """Returns the tf.Session that `session` is or, if it is a MonitoredSession, wraps; None once that is closed."""
    # Private: a MonitoredSession has no public attribute for it. Tried on 1.15, 2.13, 2.16 and 2.21.
    return session._tf_sess() if hasattr(session, "_tf_sess") else session


def config_of(session: Any) -> "Optional[tf.ConfigProto]":
    """Returns a copy of the ConfigProto of `session`, None if it is a closed MonitoredSession.

    The config of a session that was made without one is TensorFlow's default, with the devices of the machine.

    Args:
        session: a tf.Session, tf.InteractiveSession, tf.train.MonitoredSession or a subclass of these.
    """
    raw = raw_session(session)
    # Private: sessions have no public attribute for their config. Tried on 1.15, 2.13, 2.16 and 2.21.
    config = getattr(raw, "_config", None)
    if config is None:
        return None
    copy = type(config)()
    copy.CopyFrom(config)
    return copy


def operation_timeout_of(session: "tf.Session") -> int:
    """Returns the time limit in ms that the config of a session sets for each of its runs; 0 if there is none."""
    # Private: sessions have no public attribute for their config. Tried on 1.15 and 2.21.
    return int(getattr(getattr(session, "_config", None), "operation_timeout_in_ms", 0))


def is_closed(session: Any) -> bool:
    """Returns whether `session`, a tf.Session or a MonitoredSession, has been closed."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    raw = raw_session(session)
    return raw is None or bool(getattr(raw, "_closed", False))


def run_before_close(session: Any, operations: Sequence[Any]) -> None:
    """Lets a `tf.Session` run `operations` before it is closed, on TF 1.15: they end what its datasets wait for.

    There, `Session.close` waits for ever for a dataset whose function waits for an element of a queue; TF 2.x cancels
    it. What is run may fail: the session is closed then, too. Tried on 1.15 and 2.21; ends with 1.15.
    """
    from legacy_towers.compat.versions import tf

    if not hasattr(tf.data.Options(), "threading"):
        _call_before_close(session, functools.partial(_run_last, session, list(operations)))


def _run_last(session: Any, operations: Sequence[Any]) -> None:
    from legacy_towers.compat.versions import tf

    if not is_closed(session):
        try:
            session.run(operations)
        except (RuntimeError, tf.errors.OpError) as error:  # nothing more can be done before the end
            del error


def _call_before_close(session: Any, function: Callable[[], None]) -> None:
    close = session.close

    def call_and_close() -> None:
        function()
        close()

    # An attribute of the session, which `with`, `__del__` and a MonitoredSession find, too.
    session.close = call_and_close


class WhileOpen:
    """Runs operations of a `tf.Session` in another thread, while it is open: `Session.close` waits for them.

    TF 2.21 may crash where a session is closed while another thread begins a run. Create it in the thread that closes
    the session. Tried on 1.15 and 2.21.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._lock = threading.Lock()
        _call_before_close(session, self._end)

    def run(self, run: Callable[[Any], None]) -> None:
        """Calls a function of the session, which runs operations; does nothing once the session is closed."""
        with self._lock:
            if self._session is not None:
                run(self._session)

    def _end(self) -> None:
        with self._lock:
            self._session = None


def fed_callable(
    session: Any, fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any]
) -> Optional[Callable[..., List[Any]]]:
    """Returns a function of one array per fed tensor that runs `targets` and returns the values of `fetches`.

    `Session.run` parses its fetches and checks each fed value in every call, and `Session.make_callable` calls it if
    there are feeds. This function does neither: on 2.21 a step with two feeds takes 30 us instead of 200
    (tests/benchmarks/feeding.py). TensorFlow itself checks dtypes and shapes where they matter.

    Args:
      session: a `tf.Session` that is open.
      fetches: tensors of the session's graph, none of which is fed.
      targets: operations.
      feeds: the tensors that are fed. Their arrays must have exactly their dtypes, which must not be tf.string.

    Returns:
      The function; None where `Session.run` must be called: the session is of another class, which may do more in each
      run, or `Session.run` has been replaced, as by a profiler.
    """
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.client import session as session_module

    # Private: make_callable supports no feeds but by `run`. Keras's functions call it. Tried on 1.15 and 2.21.
    if type(session) not in (session_module.Session, session_module.InteractiveSession):
        return None
    if session_module.BaseSession.run.__module__ != session_module.__name__:
        return None
    options = config_pb2.CallableOptions()
    options.fetch.extend(tensor.name for tensor in fetches)
    options.target.extend(operation.name for operation in targets)
    options.feed.extend(tensor.name for tensor in feeds)
    return session._make_callable_from_options(options)
