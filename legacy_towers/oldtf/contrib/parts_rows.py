"""The rows of data, lookup, opt, image, learn and the many smaller parts of tf.contrib, and what they lack."""
from typing import Dict, Tuple

from legacy_towers.oldtf.provided import Row

_OURS = "legacy_towers.oldtf.contrib."
_PARTS = (
    "batching",
    "cluster_resolver",
    "compiler",
    "data",
    "distribute",
    "estimator",
    "input_pipeline",
    "learn",
    "lookup",
    "nccl",
    "opt",
    "predictor",
    "resampler",
    "signal",
    "sparsemax",
    "stateless",
    "summary",
    "tensorboard",
    "tfprof",
    "tpu",
    "util",
)
_NOTES = {
    "learn": "the canned estimators have the variables of tf.estimator's, and its loss: the mean of a batch",
    "data": "the datasets of TensorFlow 1.2 and 1.3 (tf.contrib.data.Dataset) too",
    "nccl": "where tensors are on no GPU, plain operations make the sums",
    "tpu": "with use_tpu=False",
}
# Module below tensorflow.contrib -> what serves it.
_BELOW: Dict[str, str] = {
    "all_reduce.python": "legacy_towers.oldtf.contrib.all_reduce",
    "all_reduce.python.all_reduce": "legacy_towers.compat.all_reduce",
    "batching.python.ops.batch_ops": _OURS + "batching",
    "data.python.ops.batching": _OURS + "data",
    "data.python.ops.grouping": _OURS + "data",
    "data.python.ops.interleave_ops": _OURS + "data",
    "data.python.ops.iterator_ops": _OURS + "data",
    "data.python.ops.prefetching_ops": _OURS + "data",
    "data.python.ops.readers": _OURS + "data",
    "data.python.ops.shuffle_ops": _OURS + "data",
    "estimator.python.estimator.replicate_model_fn": _OURS + "estimator",
    "learn.python.learn": _OURS + "learn",
    "learn.python.learn.datasets.mnist": "legacy_towers.oldtf.tutorials.mnist_data",
    "learn.python.learn.datasets.base": _OURS + "learn.datasets.base",
    "learn.python.learn.datasets": _OURS + "learn.datasets",
    "learn.python.learn.estimators": _OURS + "learn",
    "learn.python.learn.estimators.estimator": _OURS + "learn",
    "learn.python.learn.estimators.model_fn": _OURS + "learn",
    "learn.python.learn.estimators.run_config": _OURS + "learn",
    "learn.python.learn.estimators.dnn": _OURS + "learn",
    "learn.python.learn.estimators.linear": _OURS + "learn",
    "learn.python.learn.experiment": _OURS + "learn",
    "learn.python.learn.learn_runner": _OURS + "learn.learn_runner",
    "learn.python.learn.metric_spec": _OURS + "learn",
    "learn.python.learn.monitors": _OURS + "learn.monitors",
    "learn.python.learn.preprocessing": _OURS + "learn.preprocessing",
    "learn.python.learn.preprocessing.text": _OURS + "learn.preprocessing.text",
    "lookup.lookup_ops": _OURS + "lookup",
    "nccl.python.ops.nccl_ops": _OURS + "nccl",
    "opt.python.training.adam_gs_optimizer": _OURS + "opt",
    "opt.python.training.adamax": _OURS + "opt",
    "opt.python.training.addsign": _OURS + "opt",
    "opt.python.training.powersign": _OURS + "opt",
    "opt.python.training.sign_decay": _OURS + "opt.sign",
    "opt.python.training.drop_stale_gradient_optimizer": _OURS + "opt",
    "opt.python.training.external_optimizer": _OURS + "opt",
    "opt.python.training.lars_optimizer": _OURS + "opt",
    "opt.python.training.lazy_adam_optimizer": _OURS + "opt",
    "opt.python.training.moving_average_optimizer": _OURS + "opt",
    "opt.python.training.multitask_optimizer_wrapper": _OURS + "opt",
    "opt.python.training.nadam_optimizer": _OURS + "opt",
    "opt.python.training.reg_adagrad_optimizer": _OURS + "opt",
    "opt.python.training.variable_clipping_optimizer": _OURS + "opt",
    "opt.python.training.weight_decay_optimizers": _OURS + "opt",
    "resampler.python.ops.resampler_ops": _OURS + "resampler",
    "summary.summary": _OURS + "summary",
    "tensorboard.plugins.projector.projector_config_pb2": _OURS + "tensorboard.plugins.projector",
    "tpu.python.tpu.tpu_config": _OURS + "tpu",
    "tpu.python.tpu.tpu_estimator": _OURS + "tpu",
    "tpu.python.tpu.tpu_optimizer": _OURS + "tpu",
}

ROWS: Tuple[Row, ...] = tuple(
    Row("tensorflow.contrib." + part, _OURS + part, note=_NOTES.get(part, "")) for part in _PARTS
) + tuple(Row("tensorflow.contrib." + name, target) for name, target in _BELOW.items())

_TPU = "TPUs are not served: with use_tpu=False the rest of tf.contrib.tpu is"
_TREES = "boosted trees stood on kernels that TensorFlow has no more: train them with scikit-learn or xgboost"
_LEARN = "of tf.contrib.learn only the more used names are served: take tf.estimator"
_WORKERS = "averages over asynchronous workers are not served: tf.train.SyncReplicasOptimizer keeps workers together"
_HEADS = "several heads in one model are not served: write a model_fn that adds their losses"

REASONS: Dict[str, str] = {
    "tensorflow.contrib.data.LMDBDataset": "read the file with the package lmdb in tf.data.Dataset.from_generator",
    "tensorflow.contrib.distribute.Monitor": "run the steps in a session loop",
    "tensorflow.contrib.distribute.MultiWorkerAllReduce": "MultiWorkerMirroredStrategy reduces by collectives",
    "tensorflow.contrib.distribute.TPUStrategy": _TPU,
    "tensorflow.contrib.distribute.initialize_tpu_system": _TPU,
    "tensorflow.contrib.estimator.DNNClassifierWithLayerAnnotations": "take tf.estimator.DNNClassifier",
    "tensorflow.contrib.estimator.DNNRegressorWithLayerAnnotations": "take tf.estimator.DNNRegressor",
    "tensorflow.contrib.estimator.RNNClassifier": "write a model_fn with tf.nn.dynamic_rnn",
    "tensorflow.contrib.estimator.RNNEstimator": "write a model_fn with tf.nn.dynamic_rnn",
    "tensorflow.contrib.estimator.SavedModelEstimator": "load the model with tf.saved_model.loader.load",
    "tensorflow.contrib.estimator.boosted_trees_classifier_train_in_memory": _TREES,
    "tensorflow.contrib.estimator.boosted_trees_regressor_train_in_memory": _TREES,
    "tensorflow.contrib.estimator.build_supervised_input_receiver_fn_from_input_fn": "take "
    "tf.contrib.estimator.build_raw_supervised_input_receiver_fn with placeholders",
    "tensorflow.contrib.estimator.multi_head": _HEADS,
    "tensorflow.contrib.estimator.multi_label_head": _HEADS,
    "tensorflow.contrib.learn": _LEARN,
    "tensorflow.contrib.learn.DNNLinearCombinedClassifier": "take tf.estimator.DNNLinearCombinedClassifier",
    "tensorflow.contrib.learn.DNNLinearCombinedRegressor": "take tf.estimator.DNNLinearCombinedRegressor",
    "tensorflow.contrib.learn.KMeansClustering": "use sklearn.cluster.KMeans",
    "tensorflow.contrib.learn.SVM": "use sklearn.svm",
    "tensorflow.contrib.learn.read_keyed_batch_examples_shared_queue": "take read_keyed_batch_examples",
    "tensorflow.contrib.learn.read_keyed_batch_features_shared_queue": "take read_keyed_batch_features",
    "tensorflow.contrib.opt.AGNCustomGetter": _WORKERS,
    "tensorflow.contrib.opt.AGNOptimizer": _WORKERS,
    "tensorflow.contrib.opt.ElasticAverageCustomGetter": _WORKERS,
    "tensorflow.contrib.opt.ElasticAverageOptimizer": _WORKERS,
    "tensorflow.contrib.opt.GGTOptimizer": "take tf.train.AdamOptimizer: full-matrix statistics are not served",
    "tensorflow.contrib.opt.ModelAverageCustomGetter": _WORKERS,
    "tensorflow.contrib.opt.ModelAverageOptimizer": _WORKERS,
    "tensorflow.contrib.opt.ShampooOptimizer": "take tf.train.AdagradOptimizer, whose diagonal it extends",
    "tensorflow.contrib.predictor.from_contrib_estimator": "take from_estimator or from_saved_model",
    "tensorflow.contrib.summary.create_db_writer": "TensorFlow 2 writes event files alone: take create_file_writer",
    "tensorflow.contrib.tfprof.ProfileContext": "TensorFlow 2 has no profile contexts: take tf.profiler.Profiler",
    "tensorflow.contrib.tpu": _TPU,
}
