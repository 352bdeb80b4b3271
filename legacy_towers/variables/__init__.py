"""Where variables live and how they are updated: one strategy per file, each a plain value."""
from legacy_towers.variables.asynchronous import Asynchronous
from legacy_towers.variables.balanced import Balanced
from legacy_towers.variables.base import Placer, Strategy
from legacy_towers.variables.local_sgd import LocalSGD, MeanSaver
from legacy_towers.variables.parameter_server import ParameterServer
from legacy_towers.variables.partitioned import Partitioned
from legacy_towers.variables.replicated import Replicated
from legacy_towers.variables.round_robin import RoundRobin
from legacy_towers.variables.synchronize import check_copies, synchronize

__all__ = [
    "Asynchronous",
    "Balanced",
    "LocalSGD",
    "MeanSaver",
    "ParameterServer",
    "Partitioned",
    "Placer",
    "Replicated",
    "RoundRobin",
    "Strategy",
    "check_copies",
    "synchronize",
]
