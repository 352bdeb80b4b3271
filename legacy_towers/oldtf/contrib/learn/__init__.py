"""tf.contrib.learn: the estimators that came before tf.estimator, with their data and their words."""
from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn import datasets, graph_actions, learn_runner, monitors, preprocessing
from legacy_towers.oldtf.contrib.learn import export_utils as utils
from legacy_towers.oldtf.contrib.learn import learn_io as io
from legacy_towers.oldtf.contrib.learn.canned import (
    DNNClassifier,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearRegressor,
    infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn,
)
from legacy_towers.oldtf.contrib.learn.estimator import BaseEstimator, Estimator, Evaluable, SKCompat, Trainable
from legacy_towers.oldtf.contrib.learn.experiment import Experiment
from legacy_towers.oldtf.contrib.learn.graph_actions import (
    ExportStrategy,
    InputFnOps,
    NotFittedError,
    build_parsing_serving_input_fn,
    make_export_strategy,
    run_feeds,
    run_n,
)
from legacy_towers.oldtf.contrib.learn.graph_io import (
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)
from legacy_towers.oldtf.contrib.learn.heads import PredictionKey, ProblemType
from legacy_towers.oldtf.contrib.learn.kmeans import KMeansClustering
from legacy_towers.oldtf.contrib.learn.mode import MetricSpec, ModeKeys, ModelFnOps
from legacy_towers.oldtf.contrib.learn.run_config import RunConfig, TaskType
from legacy_towers.oldtf.contrib.learn.svm import SVM

NanLossDuringTrainingError = tf.train.NanLossDuringTrainingError

__all__ = [
    "BaseEstimator",
    "DNNClassifier",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "Estimator",
    "Evaluable",
    "Experiment",
    "ExportStrategy",
    "InputFnOps",
    "KMeansClustering",
    "LinearClassifier",
    "LinearRegressor",
    "MetricSpec",
    "ModeKeys",
    "ModelFnOps",
    "NanLossDuringTrainingError",
    "NotFittedError",
    "PredictionKey",
    "ProblemType",
    "RunConfig",
    "SKCompat",
    "SVM",
    "TaskType",
    "Trainable",
    "build_parsing_serving_input_fn",
    "datasets",
    "graph_actions",
    "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn",
    "io",
    "learn_runner",
    "make_export_strategy",
    "monitors",
    "preprocessing",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_features",
    "run_feeds",
    "run_n",
    "utils",
]
