"""Multi-device ("tower") training on TF1 sessions, on TF 1.15 and on TF 2.13 to 2.21.

Names are loaded when they are first used, so that `import legacy_towers` imports no TensorFlow.
"""
import importlib
from typing import TYPE_CHECKING, Any, List

from legacy_towers.version import VERSION as __version__

if TYPE_CHECKING:
    from legacy_towers import cluster as cluster
    from legacy_towers import devices as devices
    from legacy_towers import errors as errors
    from legacy_towers import gradients as gradients
    from legacy_towers import inputs as inputs
    from legacy_towers import migrate as migrate
    from legacy_towers import schedules as schedules
    from legacy_towers import training as training
    from legacy_towers import variables as variables
    from legacy_towers.autotune.choose import choose_strategy as choose_strategy
    from legacy_towers.autotune.choose import default_candidates as default_candidates
    from legacy_towers.cli.main import main as main
    from legacy_towers.config import session_config as session_config
    from legacy_towers.data import Examples as Examples
    from legacy_towers.gradients import average_gradients as average_gradients
    from legacy_towers.gradients import reduce_gradients as reduce_gradients
    from legacy_towers.graph.placement import placement as placement
    from legacy_towers.graph.shared_batches import check_distinct_batches as check_distinct_batches
    from legacy_towers.graph.shared_batches import find_shared_batches as find_shared_batches
    from legacy_towers.inputs import tower_placeholders as tower_placeholders
    from legacy_towers.measure.candidate import Candidate as Candidate
    from legacy_towers.measure.epochs import check_epoch as check_epoch
    from legacy_towers.replication.live import replicate_graph as replicate_graph
    from legacy_towers.step import Objective as Objective
    from legacy_towers.step import TrainStep as TrainStep
    from legacy_towers.step import build_train_step as build_train_step
    from legacy_towers.step.distributed_optimizer import Compression as Compression
    from legacy_towers.step.distributed_optimizer import DistributedOptimizer as DistributedOptimizer
    from legacy_towers.towers.batch_norm import cross_tower_batch_norm as cross_tower_batch_norm
    from legacy_towers.towers.dropout import stateless_dropout as stateless_dropout
    from legacy_towers.towers.output import EVAL as EVAL
    from legacy_towers.towers.output import PREDICT as PREDICT
    from legacy_towers.towers.output import TRAIN as TRAIN
    from legacy_towers.towers.output import TowerOutput as TowerOutput
    from legacy_towers.towers.replicate import replicate as replicate
    from legacy_towers.training.export.exporting import Exported as Exported
    from legacy_towers.training.export.exporting import export as export
    from legacy_towers.training.job import Job as Job
    from legacy_towers.training.job import job as job
    from legacy_towers.update import apply_reduced as apply_reduced

_MODULES = ("cluster", "devices", "errors", "gradients", "inputs", "migrate", "schedules", "training", "variables")
_NAMES = {
    "Candidate": "legacy_towers.measure.candidate",
    "Compression": "legacy_towers.step.distributed_optimizer",
    "DistributedOptimizer": "legacy_towers.step.distributed_optimizer",
    "EVAL": "legacy_towers.towers.output",
    "Examples": "legacy_towers.data",
    "Exported": "legacy_towers.training.export.exporting",
    "Job": "legacy_towers.training.job",
    "Objective": "legacy_towers.step",
    "PREDICT": "legacy_towers.towers.output",
    "TRAIN": "legacy_towers.towers.output",
    "TowerOutput": "legacy_towers.towers.output",
    "TrainStep": "legacy_towers.step",
    "apply_reduced": "legacy_towers.update",
    "average_gradients": "legacy_towers.gradients",
    "build_train_step": "legacy_towers.step",
    "check_epoch": "legacy_towers.measure.epochs",
    "check_distinct_batches": "legacy_towers.graph.shared_batches",
    "choose_strategy": "legacy_towers.autotune.choose",
    "cross_tower_batch_norm": "legacy_towers.towers.batch_norm",
    "default_candidates": "legacy_towers.autotune.choose",
    "export": "legacy_towers.training.export.exporting",
    "find_shared_batches": "legacy_towers.graph.shared_batches",
    "job": "legacy_towers.training.job",
    "main": "legacy_towers.cli.main",
    "placement": "legacy_towers.graph.placement",
    "reduce_gradients": "legacy_towers.gradients",
    "replicate": "legacy_towers.towers.replicate",
    "replicate_graph": "legacy_towers.replication.live",
    "session_config": "legacy_towers.config",
    "stateless_dropout": "legacy_towers.towers.dropout",
    "tower_placeholders": "legacy_towers.inputs",
}

__all__ = sorted(set(_MODULES) | set(_NAMES)) + ["__version__"]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
    elif name in _MODULES:
        value = importlib.import_module("legacy_towers." + name)
    else:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return list(__all__)
