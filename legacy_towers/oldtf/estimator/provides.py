"""The names that this room serves, and why it does not serve the others of tf.estimator."""
from typing import Dict, Tuple

from legacy_towers.oldtf.provided import Row

_ROOM = "legacy_towers.oldtf.estimator."
_KERAS = 'with the checkpoints of tf.train.Saver (checkpoint_format="saver")'

ROWS: Tuple[Row, ...] = (
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
    "tensorflow.estimator.experimental.LinearSDCA": "take tf.train.FtrlOptimizer as the optimizer",
    "tensorflow.estimator.tpu.experimental": _TPU,
}
