"""The event files of evaluations."""
from typing import Any, Dict

import numpy as np

from legacy_towers.compat.versions import tf


def write_results(directory: str, results: Dict[str, Any], step: int) -> None:
    """Writes the values of metrics to the event file of `directory`."""
    # TensorFlow 1.15 logs str(value), which is shorter than its format for a float32.
    shown = ", ".join(name + " = " + str(value) for name, value in sorted(results.items()) if not _is_bytes(value))
    tf.logging.info("Saving dict for global step %d: %s", step, shown)
    summary = tf.Summary()
    for name, value in results.items():
        if value is not None and name != tf.GraphKeys.GLOBAL_STEP:
            _add(summary, name, value)
    _write(directory, summary, step)


def write_checkpoint_path(directory: str, path: str, step: int) -> None:
    """Writes the path of the evaluated checkpoint to the event file of `directory`."""
    tf.logging.info("Saving 'checkpoint_path' summary for global step %d: %s", step, path)
    summary = tf.Summary()
    summary.value.add(tag="checkpoint_path", tensor=tf.make_tensor_proto(path, dtype=tf.string))
    _write(directory, summary, step)


def _is_bytes(value: Any) -> bool:
    return isinstance(value, bytes)


def _add(summary: Any, name: str, value: Any) -> None:
    if isinstance(value, bytes):
        try:
            parts = tf.Summary.FromString(value)
        except Exception:  # the class of this error depends on the version of protobuf
            tf.logging.warning("Skipping summary for %s, cannot parse string to Summary.", name)
            return
        for number, part in enumerate(parts.value):
            part.tag = "{}/{}".format(name, number)
        summary.value.extend(parts.value)
    elif isinstance(value, (float, int, np.floating, np.integer)):
        summary.value.add(tag=name, simple_value=float(value))
    elif isinstance(value, np.ndarray):
        summary.value.add(tag=name, node_name=name, tensor=tf.make_tensor_proto(value))
    else:
        tf.logging.warning("Skipping summary for %s, a %s.", name, type(value).__name__)


def _write(directory: str, summary: Any, step: int) -> None:
    writer = tf.summary.FileWriterCache.get(directory)
    writer.add_summary(summary, int(step))
    writer.flush()
