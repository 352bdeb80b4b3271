"""tf.contrib.tfprof.model_analyzer: counts of parameters, operations, times and bytes by name."""
from typing import Any, Dict, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.tfprof.profile_context import ProfileContext

Profiler = tf.profiler.Profiler
ALL_ADVICE: Dict[str, Dict[str, Any]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}


def _options(order_by: str, account: str, select: Any, **least: int) -> Dict[str, Any]:
    """Returns what to show: all names, those whose kind fits `account`, with the least values given."""
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
        **least,
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
    """Prints what `tfprof_options` select, a line for each name, and returns it as a proto."""
    options = dict(tfprof_options) if tfprof_options else TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    return tf.profiler.profile(graph, run_meta, op_log, tfprof_cmd, options)


def advise(graph: Any, run_meta: Any = None, tfprof_options: Any = None) -> Any:
    """Returns what tf.profiler's checkers find."""
    return tf.profiler.advise(graph, run_meta, tfprof_options or ALL_ADVICE)
