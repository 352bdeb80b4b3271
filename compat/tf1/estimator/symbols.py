"""The supported names of tf.estimator, and why others are not supported."""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.symbols import Symbol

_HERE = "legacy_towers.compat.tf1.estimator."
_KERAS = 'with checkpoints of tf.train.Saver (checkpoint_format="saver")'

# Name below tensorflow.python.estimator, which model functions of 2017 and 2018 import -> its target.
_PRIVATE: Dict[str, str] = {
    "canned.baseline": "canned.baseline",
    "canned.dnn": "canned.dnn",
    "canned.dnn.dnn_logit_fn_builder": "canned.networks:dnn_logit_fn_builder",
    "canned.dnn_linear_combined": "canned.dnn_linear_combined",
    "canned.head._binary_logistic_head_with_sigmoid_cross_entropy_loss": "heads.single:BinaryClassHead",
    "canned.head._multi_class_head_with_softmax_cross_entropy_loss": "heads.single:MultiClassHead",
    "canned.head._regression_head": "heads.single:RegressionHead",
    "canned.head.LossSpec": "heads.base:LossSpec",
    "canned.linear": "canned.linear",
    "canned.linear.linear_logit_fn_builder": "canned.networks:linear_logit_fn_builder",
    "canned.metric_keys": "keys",
    "canned.optimizers": "canned.optimizers",
    "canned.parsing_utils": "canned.parse_specs",
    "canned.prediction_keys": "keys",
    "estimator._load_global_step_from_checkpoint_dir": "latest_step:latest_step",
    "export.export_lib": "export.receivers",
    "export.export_output": "export.receivers",
    "exporter": "export.exporters",
    "inputs.numpy_io": "inputs",
    "inputs.pandas_io": "inputs",
}

SYMBOLS: Tuple[Symbol, ...] = tuple(
    Symbol("tensorflow.python.estimator." + name, _HERE + target) for name, target in _PRIVATE.items()
) + (
    Symbol(
        "tensorflow.estimator",
        _HERE + "api",
        note="supports one process, also with MirroredStrategy, and clusters of ps and workers",
    ),
    Symbol("tensorflow.keras.estimator.model_to_estimator", _HERE + "keras_models:model_to_estimator", note=_KERAS),
    Symbol("tensorflow.python.estimator.keras", _HERE + "keras_models"),
    Symbol("tensorflow.python.keras.estimator", _HERE + "keras_models"),
    Symbol("tensorflow.python.estimator.estimator", _HERE + "api"),
    Symbol("tensorflow.python.estimator.estimator_lib", _HERE + "api"),
    Symbol("tensorflow.python.estimator.model_fn", _HERE + "api"),
    Symbol("tensorflow.python.estimator.run_config", _HERE + "run_config"),
    Symbol("tensorflow.python.estimator.export.export", _HERE + "export.receivers"),
    Symbol("tensorflow.python.estimator.inputs.inputs", _HERE + "inputs"),
    Symbol("tensorflow.python.estimator.training", _HERE + "loops.train_and_evaluate"),
)

_TREES = "TensorFlow no longer has the kernels of boosted trees: train them with scikit-learn or xgboost"
_TPU = "TPUs are not supported"

# Name -> why it is not supported, and what to do.
UNSUPPORTED: Dict[str, str] = {
    "tensorflow.estimator": "tf.estimator has no such name, or it is not supported",
    "tensorflow.estimator.BoostedTreesClassifier": _TREES,
    "tensorflow.estimator.BoostedTreesEstimator": _TREES,
    "tensorflow.estimator.BoostedTreesRegressor": _TREES,
    "tensorflow.estimator.tpu.experimental": _TPU,
}
