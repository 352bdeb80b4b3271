"""The class of the sessions that TensorFlow makes, and the default config of a session."""
import contextlib
import threading
import types
from typing import Any, Callable, Iterator, Optional

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
