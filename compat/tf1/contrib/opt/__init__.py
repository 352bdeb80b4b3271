"""tf.contrib.opt: further optimizers and wrappers of optimizers."""
from legacy_towers.compat.tf1.contrib.opt.adam import (
    AdaMaxOptimizer,
    AdamGSOptimizer,
    LazyAdamGSOptimizer,
    LazyAdamOptimizer,
    NadamOptimizer,
)
from legacy_towers.compat.tf1.contrib.opt.elastic import ElasticAverageCustomGetter, ElasticAverageOptimizer
from legacy_towers.compat.tf1.contrib.opt.external import ExternalOptimizerInterface, ScipyOptimizerInterface
from legacy_towers.compat.tf1.contrib.opt.lars import LARSOptimizer
from legacy_towers.compat.tf1.contrib.opt.model_average import ModelAverageCustomGetter, ModelAverageOptimizer
from legacy_towers.compat.tf1.contrib.opt.shampoo import ShampooOptimizer
from legacy_towers.compat.tf1.contrib.opt.sign import AddSignOptimizer, PowerSignOptimizer
from legacy_towers.compat.tf1.contrib.opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)
from legacy_towers.compat.tf1.contrib.opt.wrappers import (
    DropStaleGradientOptimizer,
    MovingAverageOptimizer,
    MultitaskOptimizerWrapper,
    RegAdagradOptimizer,
    VariableClippingOptimizer,
    clip_gradients_by_global_norm,
)

__all__ = [
    "AdaMaxOptimizer",
    "AdamGSOptimizer",
    "AdamWOptimizer",
    "AddSignOptimizer",
    "DecoupledWeightDecayExtension",
    "DropStaleGradientOptimizer",
    "ElasticAverageCustomGetter",
    "ElasticAverageOptimizer",
    "ExternalOptimizerInterface",
    "LARSOptimizer",
    "LazyAdamGSOptimizer",
    "LazyAdamOptimizer",
    "ModelAverageCustomGetter",
    "ModelAverageOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "MultitaskOptimizerWrapper",
    "NadamOptimizer",
    "PowerSignOptimizer",
    "RegAdagradOptimizer",
    "ScipyOptimizerInterface",
    "ShampooOptimizer",
    "VariableClippingOptimizer",
    "clip_gradients_by_global_norm",
    "extend_with_decoupled_weight_decay",
]
