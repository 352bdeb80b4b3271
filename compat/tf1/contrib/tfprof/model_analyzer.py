"""tf.contrib.tfprof.model_analyzer: parameters, floating point operations, times and bytes by name."""
from typing import Any, Dict, Optional

from legacy_towers.compat.tf1.contrib.tfprof.profile_context import ProfileContext
from legacy_towers.compat.versions import tf

Profiler = tf.profiler.Profiler
ALL_ADVICE: Dict[str, Dict[str, Any]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}


def _options(order_by: str, account: str, select: Any, **minimum: int) -> Dict[str, Any]:
    """Returns profiler options: account types that match `account`, with the minimum values `minimum`."""
    return dict(
        {
            "max_depth": 10000,
            "min_bytes": 0,
            "min_micros": 0,
            "min_params": 0,
            "min_float_ops": 0,
            "order_by": order_by,
            "account_type_regexes": [account],
            "start_name_regexes": [".*"],
            "trim_name_regexes": [],
            "show_name_regexes": [".*"],
            "hide_name_regexes": [],
            "account_displayed_op_only": True,
            "select": select,
            "output": "stdout",
            "dump_to_file": "",
        },
        **minimum,
    )


TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _options("name", "_trainable_variables", ["params"])
FLOAT_OPS_OPTIONS = _options("float_ops", ".*", ["float_ops"], min_float_ops=1)
PRINT_ALL_TIMING_MEMORY = _options("name", ".*", ["micros", "bytes"], min_bytes=1, min_micros=1)

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "ProfileContext",
    "Profiler",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "advise",
    "print_model_analysis",
]


def print_model_analysis(
    graph: Any,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Optional[Dict[str, Any]] = None,
) -> Any:
    """Prints the statistics that `tfprof_options` select (default: trainable parameters); returns them as a proto."""
    options = dict(tfprof_options) if tfprof_options else TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    return tf.profiler.profile(graph, run_meta, op_log, tfprof_cmd, options)


def advise(graph: Any, run_meta: Any = None, tfprof_options: Any = None) -> Any:
    """Returns the advice of tf.profiler, by default that of all checkers."""
    return tf.profiler.advise(graph, run_meta, tfprof_options or ALL_ADVICE)
