"""A run from start to resume: jobs, training, evaluation, prediction, checkpoints, progress.

Names are loaded when they are first used: the command line reads settings and jobs without TensorFlow.
"""
import importlib
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from legacy_towers.measure.trace_steps import TraceStepsHook as TraceStepsHook
    from legacy_towers.training.callbacks import Callback as Callback
    from legacy_towers.training.checkpoints.options import CheckpointOptions as CheckpointOptions
    from legacy_towers.training.checkpoints.store import CheckpointStore as CheckpointStore
    from legacy_towers.training.evaluation.evaluator import Evaluation as Evaluation
    from legacy_towers.training.evaluation.evaluator import Evaluator as Evaluator
    from legacy_towers.training.evaluation.options import EarlyStopping as EarlyStopping
    from legacy_towers.training.evaluation.options import EvaluationOptions as EvaluationOptions
    from legacy_towers.training.hooks.checkpoint import CheckpointHook as CheckpointHook
    from legacy_towers.training.hooks.evaluation import EvaluationHook as EvaluationHook
    from legacy_towers.training.hooks.interrupt import InterruptHook as InterruptHook
    from legacy_towers.training.hooks.metrics_file import MetricsFileHook as MetricsFileHook
    from legacy_towers.training.hooks.nan_guard import NanGuardHook as NanGuardHook
    from legacy_towers.training.hooks.prometheus import PrometheusHook as PrometheusHook
    from legacy_towers.training.hooks.stall import StallHook as StallHook
    from legacy_towers.training.hooks.summaries import SummaryHook as SummaryHook
    from legacy_towers.training.metrics.options import MetricsOptions as MetricsOptions
    from legacy_towers.training.monitored_session import TrainingSession as TrainingSession
    from legacy_towers.training.monitored_session import session as session
    from legacy_towers.training.warm_start import WarmStart as WarmStart

_NAMES = {
    "Callback": "legacy_towers.training.callbacks",
    "CheckpointHook": "legacy_towers.training.hooks.checkpoint",
    "CheckpointOptions": "legacy_towers.training.checkpoints.options",
    "CheckpointStore": "legacy_towers.training.checkpoints.store",
    "EarlyStopping": "legacy_towers.training.evaluation.options",
    "Evaluation": "legacy_towers.training.evaluation.evaluator",
    "EvaluationHook": "legacy_towers.training.hooks.evaluation",
    "EvaluationOptions": "legacy_towers.training.evaluation.options",
    "Evaluator": "legacy_towers.training.evaluation.evaluator",
    "InterruptHook": "legacy_towers.training.hooks.interrupt",
    "MetricsFileHook": "legacy_towers.training.hooks.metrics_file",
    "MetricsOptions": "legacy_towers.training.metrics.options",
    "NanGuardHook": "legacy_towers.training.hooks.nan_guard",
    "PrometheusHook": "legacy_towers.training.hooks.prometheus",
    "StallHook": "legacy_towers.training.hooks.stall",
    "SummaryHook": "legacy_towers.training.hooks.summaries",
    "TraceStepsHook": "legacy_towers.measure.trace_steps",
    "TrainingSession": "legacy_towers.training.monitored_session",
    "WarmStart": "legacy_towers.training.warm_start",
    "session": "legacy_towers.training.monitored_session",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    value = globals()[name] = getattr(importlib.import_module(_NAMES[name]), name)
    return value


def __dir__() -> List[str]:
    return list(__all__)
