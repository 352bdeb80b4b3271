"""Gradient reductions: from N towers' gradients to one per variable; `chain` combines them."""
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionContext, ReductionTraits, TowerGradients
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.reduce import average_gradients, reduce_gradients
from legacy_towers.gradients.sums.add_n import mean, sum
from legacy_towers.gradients.sums.collective import collective
from legacy_towers.gradients.sums.nccl import nccl
from legacy_towers.gradients.sums.tree import tree
from legacy_towers.gradients.transforms.accumulate import accumulate
from legacy_towers.gradients.transforms.clip import GLOBAL_NORMS, clip_by_global_norm, clip_by_norm, clip_by_value
from legacy_towers.gradients.transforms.delayed import delayed
from legacy_towers.gradients.transforms.densify import densify
from legacy_towers.gradients.transforms.loss_scale import dynamic_loss_scale, loss_scale
from legacy_towers.gradients.transforms.missing import missing
from legacy_towers.gradients.transforms.noise import add_noise
from legacy_towers.gradients.transforms.numerics import check_numerics
from legacy_towers.gradients.transforms.scale import scale
from legacy_towers.gradients.wrappers.bucketed import bucketed
from legacy_towers.gradients.wrappers.compressed import compressed

__all__ = [
    "GLOBAL_NORMS",
    "GradientRow",
    "Reduction",
    "ReductionContext",
    "ReductionTraits",
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
    "compressed",
    "delayed",
    "densify",
    "dynamic_loss_scale",
    "loss_scale",
    "mean",
    "missing",
    "nccl",
    "bucketed",
    "reduce_gradients",
    "scale",
    "sum",
    "tree",
]
