"""What a session knows and TensorFlow keeps to itself."""
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from legacy_towers.compat import tf


def raw_session(session: Any) -> "Optional[tf.Session]":
    """Returns the tf.Session inside `session`: itself, or what a MonitoredSession wraps; None once that is closed."""
    # Private: MonitoredSession and its kin have no public way to it. Tried on 1.15, 2.13, 2.16 and 2.21.
    return session._tf_sess() if hasattr(session, "_tf_sess") else session


def config_of(session: Any) -> "Optional[tf.ConfigProto]":
    """Returns a copy of the ConfigProto that `session` works with, None if it is a closed MonitoredSession.

    A session that was made without one has what TensorFlow filled in: the devices of the machine.

    Args:
        session: a tf.Session, tf.InteractiveSession, or a tf.train.MonitoredSession or its kin.
    """
    raw = raw_session(session)
    # Private: sessions have no public way to their config. Tried on 1.15, 2.13, 2.16 and 2.21.
    config = getattr(raw, "_config", None)
    if config is None:
        return None
    copy = type(config)()
    copy.CopyFrom(config)
    return copy


def is_closed(session: Any) -> bool:
    """Returns whether `session`, a tf.Session or a MonitoredSession, has been closed."""
    # Private: nothing public tells. Tried on 1.15 and 2.21.
    raw = raw_session(session)
    return raw is None or bool(getattr(raw, "_closed", False))
