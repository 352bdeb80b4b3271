"""N towers' gradients to one: reductions, and `chain` to put them together."""
from legacy_towers.gradients.add_n import mean, sum
from legacy_towers.gradients.average import average_gradients
from legacy_towers.gradients.base import GradientRow, Reduction, Site, TowerGradients, chain
from legacy_towers.gradients.densify import densify
from legacy_towers.gradients.missing import missing
from legacy_towers.gradients.reduce import reduce_gradients
from legacy_towers.gradients.tree import tree

__all__ = [
    "GradientRow",
    "Reduction",
    "Site",
    "TowerGradients",
    "average_gradients",
    "chain",
    "densify",
    "mean",
    "missing",
    "reduce_gradients",
    "sum",
    "tree",
]
