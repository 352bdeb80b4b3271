"""Where variables live: a strategy is a plain value, one per file."""
from legacy_towers.variables.asynchronous import Asynchronous
from legacy_towers.variables.balanced import Balanced
from legacy_towers.variables.base import Placer, Strategy
from legacy_towers.variables.parameter_server import ParameterServer
from legacy_towers.variables.partitioned import Partitioned
from legacy_towers.variables.round_robin import RoundRobin

__all__ = ["Asynchronous", "Balanced", "ParameterServer", "Partitioned", "Placer", "RoundRobin", "Strategy"]
