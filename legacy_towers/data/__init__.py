"""`Examples`: the data, defined once, and its sources."""
from legacy_towers.data.examples import Examples

__all__ = ["Examples"]
