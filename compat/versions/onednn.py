"""Whether TensorFlow uses oneDNN on the CPU, which rounds differently."""
import os

VARIABLE = "TF_ENABLE_ONEDNN_OPTS"


def onednn_state() -> str:
    """Returns "on (REASON)" or "off (REASON)", whose reason is the environment variable or TensorFlow's default."""
    # Private: TensorFlow's own tests use it. Tried on 1.15 and 2.21.
    try:
        from tensorflow.python.util import _pywrap_util_port as port
    except ImportError:  # 1.15
        from tensorflow.python import pywrap_tensorflow as port
    state = "on" if port.IsMklEnabled() else "off"
    return "{} ({})".format(
        state, "{}={}".format(VARIABLE, os.environ[VARIABLE]) if os.environ.get(VARIABLE) else "TensorFlow's default"
    )
