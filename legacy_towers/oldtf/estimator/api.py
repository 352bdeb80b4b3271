"""tf.estimator, as TensorFlow 1.15 had it.

TensorFlow ended it with 2.15; this one stands on what TensorFlow keeps: sessions, hooks, savers, feature columns.
"""
from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator import experimental, export, inputs, tpu
from legacy_towers.oldtf.estimator.canned import (
    DNNClassifier,
    DNNEstimator,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
)
from legacy_towers.oldtf.estimator.canned_baseline import BaselineClassifier, BaselineEstimator, BaselineRegressor
from legacy_towers.oldtf.estimator.canned_combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
)
from legacy_towers.oldtf.estimator.estimator import Estimator
from legacy_towers.oldtf.estimator.exporters import BestExporter, Exporter, FinalExporter, LatestExporter
from legacy_towers.oldtf.estimator.extenders import add_metrics
from legacy_towers.oldtf.estimator.mode_keys import ModeKeys
from legacy_towers.oldtf.estimator.parse_specs import classifier_parse_example_spec, regressor_parse_example_spec
from legacy_towers.oldtf.estimator.public_heads import (
    BinaryClassHead,
    Head,
    LogisticRegressionHead,
    MultiClassHead,
    PoissonRegressionHead,
    RegressionHead,
)
from legacy_towers.oldtf.estimator.run_config import RunConfig
from legacy_towers.oldtf.estimator.several_heads import MultiHead, MultiLabelHead
from legacy_towers.oldtf.estimator.spec import EstimatorSpec
from legacy_towers.oldtf.estimator.train_and_evaluate import EvalSpec, TrainSpec, train_and_evaluate
from legacy_towers.oldtf.estimator.warm_start import VocabInfo, WarmStartSettings

CheckpointSaverHook = tf.train.CheckpointSaverHook
CheckpointSaverListener = tf.train.CheckpointSaverListener
FeedFnHook = tf.train.FeedFnHook
FinalOpsHook = tf.train.FinalOpsHook
GlobalStepWaiterHook = tf.train.GlobalStepWaiterHook
LoggingTensorHook = tf.train.LoggingTensorHook
NanLossDuringTrainingError = tf.train.NanLossDuringTrainingError
NanTensorHook = tf.train.NanTensorHook
ProfilerHook = tf.train.ProfilerHook
SecondOrStepTimer = tf.train.SecondOrStepTimer
SessionRunArgs = tf.train.SessionRunArgs
SessionRunContext = tf.train.SessionRunContext
SessionRunHook = tf.train.SessionRunHook
SessionRunValues = tf.train.SessionRunValues
StepCounterHook = tf.train.StepCounterHook
StopAtStepHook = tf.train.StopAtStepHook
SummarySaverHook = tf.train.SummarySaverHook

__all__ = [
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "BestExporter",
    "BinaryClassHead",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FeedFnHook",
    "FinalExporter",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "Head",
    "LatestExporter",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "LoggingTensorHook",
    "LogisticRegressionHead",
    "ModeKeys",
    "MultiClassHead",
    "MultiHead",
    "MultiLabelHead",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "PoissonRegressionHead",
    "ProfilerHook",
    "RegressionHead",
    "RunConfig",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "TrainSpec",
    "VocabInfo",
    "WarmStartSettings",
    "add_metrics",
    "classifier_parse_example_spec",
    "experimental",
    "export",
    "inputs",
    "regressor_parse_example_spec",
    "tpu",
    "train_and_evaluate",
]
