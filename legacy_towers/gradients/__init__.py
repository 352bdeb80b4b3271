"""N towers' gradients to one: reductions, and `chain` to put them together."""
from legacy_towers.gradients.accumulate import accumulate
from legacy_towers.gradients.add_n import mean, sum
from legacy_towers.gradients.average import average_gradients
from legacy_towers.gradients.base import GradientRow, Reduction, Site, TowerGradients
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.clip import GLOBAL_NORMS, clip_by_global_norm, clip_by_norm, clip_by_value
from legacy_towers.gradients.collective import collective
from legacy_towers.gradients.compacted import compacted
from legacy_towers.gradients.deferred import deferred
from legacy_towers.gradients.densify import densify
from legacy_towers.gradients.loss_scale import dynamic_loss_scale, loss_scale
from legacy_towers.gradients.missing import missing
from legacy_towers.gradients.nccl import nccl
from legacy_towers.gradients.noise import add_noise
from legacy_towers.gradients.numerics import check_numerics
from legacy_towers.gradients.packed import packed
from legacy_towers.gradients.reduce import reduce_gradients
from legacy_towers.gradients.scale import scale
from legacy_towers.gradients.tree import tree

__all__ = [
    "GLOBAL_NORMS",
    "GradientRow",
    "Reduction",
    "Site",
    "TowerGradients",
    "accumulate",
    "add_noise",
    "average_gradients",
    "chain",
    "check_numerics",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "collective",
    "compacted",
    "deferred",
    "densify",
    "dynamic_loss_scale",
    "loss_scale",
    "mean",
    "missing",
    "nccl",
    "packed",
    "reduce_gradients",
    "scale",
    "sum",
    "tree",
]
