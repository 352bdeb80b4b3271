"""tf.estimator of TensorFlow 1.15, which ended with TensorFlow 2.15.

It is implemented with sessions, hooks, savers and feature columns, which TensorFlow still has.
"""
from legacy_towers.compat.tf1.estimator import experimental, inputs, tpu
from legacy_towers.compat.tf1.estimator.canned.baseline import BaselineClassifier, BaselineEstimator, BaselineRegressor
from legacy_towers.compat.tf1.estimator.canned.dnn import DNNClassifier, DNNEstimator, DNNRegressor
from legacy_towers.compat.tf1.estimator.canned.dnn_linear_combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
)
from legacy_towers.compat.tf1.estimator.canned.linear import LinearClassifier, LinearEstimator, LinearRegressor
from legacy_towers.compat.tf1.estimator.canned.parse_specs import (
    classifier_parse_example_spec,
    regressor_parse_example_spec,
)
from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.export import receivers as export
from legacy_towers.compat.tf1.estimator.export.exporters import BestExporter, Exporter, FinalExporter, LatestExporter
from legacy_towers.compat.tf1.estimator.extenders import add_metrics
from legacy_towers.compat.tf1.estimator.heads.public import (
    BinaryClassHead,
    Head,
    LogisticRegressionHead,
    MultiClassHead,
    PoissonRegressionHead,
    RegressionHead,
)
from legacy_towers.compat.tf1.estimator.heads.several import MultiHead, MultiLabelHead
from legacy_towers.compat.tf1.estimator.loops.train_and_evaluate import EvalSpec, TrainSpec, train_and_evaluate
from legacy_towers.compat.tf1.estimator.loops.warm_start import VocabInfo, WarmStartSettings
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.run_config import RunConfig
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf

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
