"""tf.contrib.tfprof.tfprof_logger: write_op_log."""
from typing import Any

from legacy_towers.compat.versions import tf

__all__ = ["write_op_log"]


def write_op_log(graph: Any, log_dir: str, op_log: Any = None, run_meta: Any = None, add_trace: bool = True) -> None:
    """Writes types, floating point operations and source lines of the operations in `graph` to log_dir/tfprof_log."""
    tf.profiler.write_op_log(graph, log_dir, op_log, run_meta, add_trace)
