"""tf.contrib.learn: estimators (the predecessor of tf.estimator), experiments, datasets and preprocessing."""
from legacy_towers.compat.tf1.contrib.learn import datasets, graph_actions, learn_runner, monitors, preprocessing
from legacy_towers.compat.tf1.contrib.learn import export_utils as utils
from legacy_towers.compat.tf1.contrib.learn import learn_io as io
from legacy_towers.compat.tf1.contrib.learn.canned import (
    DNNClassifier,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearRegressor,
    infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn,
)
from legacy_towers.compat.tf1.contrib.learn.estimator import BaseEstimator, Estimator, Evaluable, SKCompat, Trainable
from legacy_towers.compat.tf1.contrib.learn.experiment import Experiment
from legacy_towers.compat.tf1.contrib.learn.graph_actions import (
    ExportStrategy,
    InputFnOps,
    NotFittedError,
    build_parsing_serving_input_fn,
    make_export_strategy,
    run_feeds,
    run_n,
)
from legacy_towers.compat.tf1.contrib.learn.graph_io import (
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)
from legacy_towers.compat.tf1.contrib.learn.heads import PredictionKey, ProblemType
from legacy_towers.compat.tf1.contrib.learn.kmeans import KMeansClustering
from legacy_towers.compat.tf1.contrib.learn.mode import MetricSpec, ModeKeys, ModelFnOps
from legacy_towers.compat.tf1.contrib.learn.run_config import RunConfig, TaskType
from legacy_towers.compat.tf1.contrib.learn.svm import SVM
from legacy_towers.compat.versions import tf

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
