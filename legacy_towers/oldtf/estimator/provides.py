"""The names that this room serves, and why it does not serve the others of tf.estimator."""
from typing import Dict, Tuple

from legacy_towers.oldtf.provided import Row

_ROOM = "legacy_towers.oldtf.estimator."
_KERAS = 'with the checkpoints of tf.train.Saver (checkpoint_format="saver")'

# Below tensorflow.python.estimator -> what serves it: where model functions of 2017 and 2018 imported from.
_INSIDE: Dict[str, str] = {
    "canned.baseline": "canned_baseline",
    "canned.dnn": "canned",
    "canned.dnn.dnn_logit_fn_builder": "networks:dnn_logit_fn_builder",
    "canned.dnn_linear_combined": "canned_combined",
    "canned.head._binary_logistic_head_with_sigmoid_cross_entropy_loss": "heads:BinaryClassHead",
    "canned.head._multi_class_head_with_softmax_cross_entropy_loss": "heads:MultiClassHead",
    "canned.head._regression_head": "heads:RegressionHead",
    "canned.head.LossSpec": "head:LossSpec",
    "canned.linear": "canned",
    "canned.linear.linear_logit_fn_builder": "networks:linear_logit_fn_builder",
    "canned.metric_keys": "keys",
    "canned.optimizers": "canned",
    "canned.parsing_utils": "parse_specs",
    "canned.prediction_keys": "keys",
    "estimator._load_global_step_from_checkpoint_dir": "latest_step:latest_step",
    "export.export_lib": "export",
    "export.export_output": "export",
    "exporter": "exporters",
    "inputs.numpy_io": "inputs",
    "inputs.pandas_io": "inputs",
}

ROWS: Tuple[Row, ...] = tuple(
    Row("tensorflow.python.estimator." + name, _ROOM + target) for name, target in _INSIDE.items()
) + (
    Row(
        "tensorflow.estimator",
        _ROOM + "api",
        note="ended with TensorFlow 2.15; in one process also under MirroredStrategy, otherwise by ps and workers",
    ),
    Row("tensorflow.estimator.experimental.KMeans", _ROOM + "kmeans:KMeans"),
    Row("tensorflow.keras.estimator.model_to_estimator", _ROOM + "keras_models:model_to_estimator", note=_KERAS),
    Row("tensorflow.python.estimator.keras", _ROOM + "keras_models"),
    Row("tensorflow.python.keras.estimator", _ROOM + "keras_models"),
    Row("tensorflow.python.estimator.estimator", _ROOM + "api"),
    Row("tensorflow.python.estimator.estimator_lib", _ROOM + "api"),
    Row("tensorflow.python.estimator.model_fn", _ROOM + "api"),
    Row("tensorflow.python.estimator.run_config", _ROOM + "run_config"),
    Row("tensorflow.python.estimator.export.export", _ROOM + "export"),
    Row("tensorflow.python.estimator.inputs.inputs", _ROOM + "inputs"),
    Row("tensorflow.python.estimator.training", _ROOM + "train_and_evaluate"),
)

_TREES = "boosted trees stood on kernels that TensorFlow has no more: train them with scikit-learn or xgboost"
_TPU = "TPUs are not served"

REASONS: Dict[str, str] = {
    "tensorflow.estimator": "tf.estimator has no such name, or it is not served",
    "tensorflow.estimator.BoostedTreesClassifier": _TREES,
    "tensorflow.estimator.BoostedTreesEstimator": _TREES,
    "tensorflow.estimator.BoostedTreesRegressor": _TREES,
    "tensorflow.estimator.tpu.experimental": _TPU,
}
