"""Whether TensorFlow uses oneDNN on the CPU, which rounds differently."""
import os

VARIABLE = "TF_ENABLE_ONEDNN_OPTS"


def uses_onednn() -> bool:
    """Returns whether TensorFlow computes on the CPU by oneDNN."""
    # Private: TensorFlow's own tests use it. Tried on 1.15, 2.13, 2.16 and 2.21.
    try:
        from tensorflow.python.util import _pywrap_util_port as port
    except ImportError:  # 1.15
        from tensorflow.python import pywrap_tensorflow as port
    return bool(port.IsMklEnabled())


def onednn_state() -> str:
    """Returns "on (REASON)" or "off (REASON)", whose reason is the environment variable or TensorFlow's default."""
    state = "on" if uses_onednn() else "off"
    return "{} ({})".format(
        state, "{}={}".format(VARIABLE, os.environ[VARIABLE]) if os.environ.get(VARIABLE) else "TensorFlow's default"
    )
