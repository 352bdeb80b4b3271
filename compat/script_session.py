"""Sessions that TensorFlow makes for a program, and what a session is made with."""
import contextlib
import threading
import types
from typing import Any, Callable, Iterator, Optional

from legacy_towers.compat import tf

_MAIN_THREAD = threading.main_thread().ident


class RunsThrough:
    """Mixed into a session: all its runs of threads, those of `make_callable` too, go through `around_thread_run`.

    Those of the main thread, which are most, cost a comparison more.
    """

    # Called with what runs and its arguments; None lets every run pass.
    around_thread_run: Optional[Callable[..., Any]] = None

    def _call_tf_sessionrun(self, *arguments: Any) -> Any:
        # Private: the one call through which runs enter TensorFlow, but for partial runs. Tried on 1.15 and 2.21.
        call = super()._call_tf_sessionrun  # type: ignore[misc]
        if self.around_thread_run is None or threading.get_ident() == _MAIN_THREAD:
            return call(*arguments)
        return self.around_thread_run(call, *arguments)


@contextlib.contextmanager
def managed_sessions_are(session_class: Any) -> Iterator[None]:
    """Lets TensorFlow's SessionManager make sessions of `session_class` while it lasts.

    Supervisor, MonitoredSession and its kin, slim's training and evaluation and Estimators all get their sessions from
    there, by the name `session.Session` of its module.
    """
    # Private: no argument of these makers takes a class. What else of TensorFlow is exchanged while a script runs is in
    # `script_graph` and `autograph_source`. Tried on 1.15 and 2.21.
    from tensorflow.python.training import session_manager

    before = session_manager.session
    stand_in = types.ModuleType(before.__name__, before.__doc__)
    stand_in.__dict__.update(before.__dict__, Session=session_class)
    session_manager.session = stand_in
    try:
        yield
    finally:
        session_manager.session = before


def default_config() -> "tf.ConfigProto":
    """Returns a copy of what a session has that is made without a config."""
    # Private: what tf.config.experimental was told, and the devices of the machine. Tried on 1.15 and 2.21.
    from tensorflow.python.eager import context

    copy = tf.ConfigProto()
    copy.CopyFrom(context.context().config)
    return copy


def gpu_count() -> int:
    """Returns the number of GPUs, without making a device of any: their memory stays free, the options open."""
    return len(tf.config.experimental.list_physical_devices("GPU"))
