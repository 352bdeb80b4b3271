"""The ops that the running TensorFlow registers."""
from typing import Any, Dict

from tensorflow.core.framework import op_def_pb2

# Private: nothing public lists the registry. Tried on 1.15 and 2.21.
try:
    from tensorflow.python.client import pywrap_tf_session as _session
except ImportError:  # 1.15
    from tensorflow.python import pywrap_tensorflow as _session


def registered_ops() -> Dict[str, Any]:
    """Returns op type -> `OpDef` of all ops that TensorFlow and the op libraries loaded so far register."""
    buffer = _session.TF_GetAllOpList()
    try:
        ops = op_def_pb2.OpList.FromString(_session.TF_GetBuffer(buffer))
    finally:
        _session.TF_DeleteBuffer(buffer)
    return {op.name: op for op in ops.op}
