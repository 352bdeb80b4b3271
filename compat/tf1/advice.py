"""Replacements for names of TensorFlow 1.15 that are not supported.

A row applies to its name and to all names below it that have no row of their own. Names below packages that are partly
supported are in the `UNSUPPORTED` of their `symbols` modules.
"""
from typing import Dict

_TFP = "TensorFlow Probability has it: pip install tensorflow_probability"
_IO = (
    "TensorFlow I/O, which had it, ended with TensorFlow 2.16: read the data in Python, by "
    "tf.data.Dataset.from_generator"
)
_ADDONS = "no maintained package has it; TensorFlow Addons had it until TensorFlow 2.15"
_TREES = "the package ydf is its successor, without TensorFlow: pip install ydf"
_NO_KERNEL = "only TensorFlow 1.15 has its compiled operations"
_OWN_LOOP = "write the loop with tf.train.MonitoredTrainingSession"

ADVICE: Dict[str, str] = {
    "tensorflow.contrib": "tf.contrib ended with it, and this module has no replacement",
    "tensorflow.contrib.all_reduce": "legacy_towers.gradients averages over towers, also by trees and collectives",
    "tensorflow.contrib.bayesflow": _TFP,
    "tensorflow.contrib.bigtable": _IO,
    "tensorflow.contrib.boosted_trees": _TREES,
    "tensorflow.contrib.checkpoint": "use tf.train.Checkpoint and tf.train.CheckpointManager",
    "tensorflow.contrib.cloud": _IO,
    "tensorflow.contrib.coder": _NO_KERNEL + "; TensorFlow Compression, its successor, ended with TensorFlow 2.14",
    "tensorflow.contrib.constrained_optimization": "the package tensorflow_constrained_optimization is its successor",
    "tensorflow.contrib.decision_trees": _TREES,
    "tensorflow.contrib.distribute": "the strategies are in tf.distribute and tf.distribute.experimental",
    "tensorflow.contrib.estimator": "tf.estimator ended with TensorFlow 2.15: " + _OWN_LOOP,
    "tensorflow.contrib.feature_column": "the columns are in tf.feature_column",
    "tensorflow.contrib.ffmpeg": "decode the file to WAV by the program ffmpeg, and read that with tf.audio.decode_wav",
    "tensorflow.contrib.fused_conv": _NO_KERNEL,
    "tensorflow.contrib.hadoop": _IO,
    "tensorflow.contrib.ignite": _IO,
    "tensorflow.contrib.kafka": _IO,
    "tensorflow.contrib.kfac": "it became the package kfac, which asks for older packages than it needs: pip "
    "install --no-deps kfac, and pip install tensorflow_probability",
    "tensorflow.contrib.kinesis": _IO,
    "tensorflow.contrib.labeled_tensor": "it has no replacement: use plain tensors, and name the axes in comments",
    "tensorflow.contrib.layers.feature_column": "the columns are in tf.feature_column",
    "tensorflow.contrib.libsvm": _IO,
    "tensorflow.contrib.meta_graph_transform": "it has no replacement: change the GraphDef in your own code",
    "tensorflow.contrib.mixed_precision": "use tf.train.experimental.enable_mixed_precision_graph_rewrite or "
    "legacy_towers.gradients.dynamic_loss_scale",
    "tensorflow.contrib.model_pruning": "the package tensorflow_model_optimization is its successor",
    "tensorflow.contrib.mpi_collectives": "legacy_towers.gradients averages over towers, also by collectives",
    "tensorflow.contrib.nearest_neighbor": _NO_KERNEL,
    "tensorflow.contrib.optimizer_v2": "the optimizers are in tf.train",
    "tensorflow.contrib.periodic_resample": _NO_KERNEL,
    "tensorflow.contrib.proto": "use tf.io.decode_proto and tf.io.encode_proto",
    "tensorflow.contrib.quantization": "tf.quantization has them",
    "tensorflow.contrib.rate": _ADDONS,
    "tensorflow.contrib.receptive_field": "it has no replacement: compute the field from the kernels and strides",
    "tensorflow.contrib.recurrent": "use tf.nn.dynamic_rnn or tf.while_loop",
    "tensorflow.contrib.reduce_slice_ops": "the closest functions are tf.math.segment_sum, segment_max and so on",
    "tensorflow.contrib.remote_fused_graph": _NO_KERNEL,
    "tensorflow.contrib.rpc": _NO_KERNEL,
    "tensorflow.contrib.saved_model": "tf.saved_model has it",
    "tensorflow.contrib.session_bundle": "tf.saved_model is its successor",
    "tensorflow.contrib.specs": "it has no replacement: call the functions of tf.layers",
    "tensorflow.contrib.stat_summarizer": _NO_KERNEL,
    "tensorflow.contrib.tensor_forest": _TREES,
    "tensorflow.contrib.tensorrt": "TensorFlow dropped it in 2.18: export the model to ONNX, which TensorRT reads",
    "tensorflow.contrib.text": "the package tensorflow_text is its successor",
    "tensorflow.contrib.timeseries": "use tfp.sts of TensorFlow Probability: pip install tensorflow_probability",
    "tensorflow.examples": "it is one of the examples that were installed with TensorFlow 1.15, and no longer are",
    "tensorflow.python": "it is private API of TensorFlow that was moved or dropped after 1.15; look for a public name "
    "of the same function or class",
    "tensorflow.tensorboard": "it is the package tensorboard now",
    "tensorflow.tools": "it is one of the tools that were installed with TensorFlow 1.15, and no longer are",
}
