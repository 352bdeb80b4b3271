"""tf.contrib.opt: optimizers beside those of tf.train."""
from legacy_towers.oldtf.contrib.opt.adam import (
    AdaMaxOptimizer,
    AdamGSOptimizer,
    LazyAdamGSOptimizer,
    LazyAdamOptimizer,
    NadamOptimizer,
)
from legacy_towers.oldtf.contrib.opt.elastic import ElasticAverageCustomGetter, ElasticAverageOptimizer
from legacy_towers.oldtf.contrib.opt.external import ExternalOptimizerInterface, ScipyOptimizerInterface
from legacy_towers.oldtf.contrib.opt.lars import LARSOptimizer
from legacy_towers.oldtf.contrib.opt.model_average import ModelAverageCustomGetter, ModelAverageOptimizer
from legacy_towers.oldtf.contrib.opt.shampoo import ShampooOptimizer
from legacy_towers.oldtf.contrib.opt.sign import AddSignOptimizer, PowerSignOptimizer
from legacy_towers.oldtf.contrib.opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)
from legacy_towers.oldtf.contrib.opt.wrappers import (
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
