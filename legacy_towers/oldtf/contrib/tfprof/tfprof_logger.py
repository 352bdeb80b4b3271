"""tf.contrib.tfprof.tfprof_logger."""
from typing import Any

from legacy_towers.compat import tf

__all__ = ["write_op_log"]


def write_op_log(graph: Any, log_dir: str, op_log: Any = None, run_meta: Any = None, add_trace: bool = True) -> None:
    """Writes the kinds, floating point operations and lines of the operations of `graph` into log_dir/tfprof_log."""
    tf.profiler.write_op_log(graph, log_dir, op_log, run_meta, add_trace)
