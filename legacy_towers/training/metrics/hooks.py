"""The hooks of a run that record it, from its options."""
import os
import warnings
from typing import Any, List, Optional

from legacy_towers.measure.trace_steps import TraceStepsHook
from legacy_towers.step import TrainStep
from legacy_towers.training.hooks.metrics_file import MetricsFileHook
from legacy_towers.training.hooks.prometheus import PrometheusHook
from legacy_towers.training.hooks.summaries import SummaryHook
from legacy_towers.training.metrics.options import MetricsOptions

METRICS_FILE = "metrics.jsonl"
# The step of a run that is traced unless steps are chosen: by then every device is warmed up and every queue is full.
_TRACED_STEP = 10


def record_hooks(step: TrainStep, options: MetricsOptions, directory: Optional[str]) -> List[Any]:
    """Returns the hooks that write summaries and metrics.jsonl, and serve metrics.

    Args:
      directory: where the files are; None: none are written.
    """
    hooks: List[Any] = []
    if directory is not None and options.summary_every:
        hooks.append(SummaryHook(step, directory, options.summary_every))
    if directory is not None and options.metrics_every:
        if "://" in directory:
            warnings.warn("there is no {}: {} is not a local directory".format(METRICS_FILE, directory), stacklevel=2)
        else:
            hooks.append(MetricsFileHook(step, os.path.join(directory, METRICS_FILE), options.metrics_every))
    if options.prometheus_port is not None:
        hooks.append(PrometheusHook(step, options.prometheus_port))
    return hooks


def trace_hook(step: TrainStep, options: MetricsOptions, start: int, end: int) -> Optional[TraceStepsHook]:
    """Returns the hook that traces steps of a run from global step `start` to `end`; None without one."""
    if options.trace is None or start >= end:
        return None
    steps: Any = options.trace_steps
    if steps is None:
        steps = [min(start + _TRACED_STEP, end)]
    return TraceStepsHook(step, options.trace, steps)
