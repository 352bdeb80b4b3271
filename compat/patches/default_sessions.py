"""The class of the sessions that TensorFlow makes, and the default config of a session."""
import contextlib
import sys
import threading
import types
from typing import Any, Callable, Iterator, List, Optional

from legacy_towers.compat.versions import tf

_MAIN_THREAD = threading.main_thread().ident


class ThreadRunHook:
    """A mixin for sessions: wraps their runs in threads other than the main one in `around_thread_run`.

    Callables of `make_callable` are included. A run in the main thread costs one more comparison.
    """

    # Called with the function that runs and its arguments; None for no wrapper.
    around_thread_run: Optional[Callable[..., Any]] = None

    def _call_tf_sessionrun(self, *arguments: Any) -> Any:
        # Private: all runs but partial ones call it. Tried on 1.15 and 2.21.
        call = super()._call_tf_sessionrun  # type: ignore[misc]
        if self.around_thread_run is None or threading.get_ident() == _MAIN_THREAD:
            return call(*arguments)
        return self.around_thread_run(call, *arguments)


@contextlib.contextmanager
def managed_session_class(session_class: Any) -> Iterator[None]:
    """Makes TensorFlow's SessionManager use `session_class` for its sessions.

    Supervisor, MonitoredSession, MonitoredTrainingSession, slim's training and evaluation loops and Estimators get
    their sessions from SessionManager.
    """
    # Private: none of these accepts a session class. SessionManager's module uses the name `session.Session`. Tried on
    # 1.15 and 2.21.
    from tensorflow.python.training import session_manager

    before = session_manager.session
    replacement = types.ModuleType(before.__name__, before.__doc__)
    replacement.__dict__.update(before.__dict__, Session=session_class)
    session_manager.session = replacement
    try:
        yield
    finally:
        session_manager.session = before


def close_within(session: Any, close: Callable[[], None], seconds: float) -> bool:
    """Calls `close`, which closes `session`, and returns whether it has returned within `seconds`.

    TensorFlow 1.15 waits without end for an answer of each task that the session was connected with, even of one that
    has ended. A session that has not closed by then is left as it is. So it is while Python ends: no thread can start.
    """
    if sys.is_finalizing():
        session._session = None
        return True
    errors: List[Exception] = []

    def closing() -> None:
        try:
            close()
        except Exception as error:  # raised below, in the thread of the caller
            errors.append(error)

    thread = threading.Thread(target=closing, name="closing a session", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        # Private: `__del__` would delete what the thread uses. Tried on 1.15 and 2.21.
        session._session = None
        return False
    if errors:
        raise errors[0]
    return True


@contextlib.contextmanager
def config_of_new_sessions(adjust: Callable[[Any, Any, Any, Any], Any]) -> Iterator[None]:
    """Makes every session of this process, also those of Keras and of other libraries, use the config of `adjust`.

    Args:
      adjust: called with the session, its target, graph and config; the latter three may be None.
    """
    # Private: Keras makes its session by itself, and takes no class. Tried on 1.15 and 2.21.
    from tensorflow.python.client import session as session_module

    base = session_module.BaseSession
    before = base.__init__

    def init(self: Any, target: Any = None, graph: Any = None, config: Any = None) -> None:
        before(self, target, graph, adjust(self, target, graph, config))

    base.__init__ = init
    try:
        yield
    finally:
        base.__init__ = before


@contextlib.contextmanager
def new_strategies(note: Callable[[Any], None]) -> Iterator[None]:
    """Calls `note` with each tf.distribute strategy that is made while the context lasts."""
    # Private: strategies are made by many classes, in Keras and other libraries too. Tried on 1.15 and 2.21.
    from tensorflow.python.distribute import distribute_lib

    base: Any = getattr(distribute_lib, "StrategyBase", distribute_lib.Strategy)  # StrategyBase since 2.0
    before = base.__init__

    def init(self: Any, extended: Any) -> None:
        before(self, extended)
        note(self)

    base.__init__ = init
    try:
        yield
    finally:
        base.__init__ = before


def default_config() -> "tf.ConfigProto":
    """Returns a copy of the tf.ConfigProto of a session that is made without one."""
    # Private: it holds the settings of tf.config.experimental and the devices of the machine. Tried on 1.15 and 2.21.
    from tensorflow.python.eager import context

    copy = tf.ConfigProto()
    copy.CopyFrom(context.context().config)
    return copy


def gpu_count() -> int:
    """Returns the number of GPUs, without initializing them: no memory is allocated, and options can still be set."""
    return len(tf.config.experimental.list_physical_devices("GPU"))
