"""N towers' gradients to one."""
from legacy_towers.gradients.average import average_gradients

__all__ = ["average_gradients"]
