"""What to do in place of names of TensorFlow 1.15 that are not served.

A name stands for all that lies below it, where nothing longer does. What rooms serve in part they speak of themselves,
in their `REASONS`.
"""
from typing import Dict

_TFP = "TensorFlow Probability has it: pip install tensorflow_probability"
_IO = "TensorFlow I/O has it: pip install tensorflow-io"
_ADDONS = "nothing has it any more; TensorFlow Addons had it until TensorFlow 2.15"
_TREES = "TensorFlow Decision Forests came after it: pip install tensorflow-decision-forests"
_NO_KERNEL = "its operations are compiled ones that TensorFlow 1.15 alone has"
_OWN_LOOP = "write the loop with tf.train.MonitoredTrainingSession"

ADVICE: Dict[str, str] = {
    "tensorflow.contrib": "tf.contrib ended with it, and nothing stands in for this part",
    "tensorflow.contrib.all_reduce": "legacy_towers.gradients averages over towers, by trees and collectives too",
    "tensorflow.contrib.bayesflow": _TFP,
    "tensorflow.contrib.bigtable": _IO,
    "tensorflow.contrib.boosted_trees": _TREES,
    "tensorflow.contrib.checkpoint": "tf.train.Checkpoint and tf.train.CheckpointManager do it",
    "tensorflow.contrib.cloud": _IO,
    "tensorflow.contrib.coder": _NO_KERNEL + "; TensorFlow Compression came after it",
    "tensorflow.contrib.constrained_optimization": "the package tensorflow_constrained_optimization came after it",
    "tensorflow.contrib.decision_trees": _TREES,
    "tensorflow.contrib.distribute": "the strategies are in tf.distribute and tf.distribute.experimental",
    "tensorflow.contrib.estimator": "tf.estimator ended with TensorFlow 2.15: " + _OWN_LOOP,
    "tensorflow.contrib.feature_column": "the columns are in tf.feature_column",
    "tensorflow.contrib.ffmpeg": "TensorFlow I/O decodes audio and video: pip install tensorflow-io",
    "tensorflow.contrib.fused_conv": _NO_KERNEL,
    "tensorflow.contrib.gan": "it is the package tensorflow_gan now: pip install tensorflow-gan",
    "tensorflow.contrib.hadoop": _IO,
    "tensorflow.contrib.ignite": _IO,
    "tensorflow.contrib.kafka": _IO,
    "tensorflow.contrib.kfac": "it is the package kfac, which ended with TensorFlow 1 too",
    "tensorflow.contrib.kinesis": _IO,
    "tensorflow.contrib.labeled_tensor": "nothing has it any more: name the axes in comments",
    "tensorflow.contrib.layers.feature_column": "the columns are in tf.feature_column",
    "tensorflow.contrib.libsvm": _IO,
    "tensorflow.contrib.meta_graph_transform": "nothing has it any more: rewrite the GraphDef yourself",
    "tensorflow.contrib.mixed_precision": "tf.train.experimental.enable_mixed_precision_graph_rewrite does it, and "
    "legacy_towers.gradients.dynamic_loss_scale",
    "tensorflow.contrib.model_pruning": "the package tensorflow_model_optimization came after it",
    "tensorflow.contrib.mpi_collectives": "horovod came after it",
    "tensorflow.contrib.nearest_neighbor": _NO_KERNEL,
    "tensorflow.contrib.optimizer_v2": "the optimizers are in tf.train",
    "tensorflow.contrib.periodic_resample": _NO_KERNEL,
    "tensorflow.contrib.proto": "tf.io.decode_proto and tf.io.encode_proto do it",
    "tensorflow.contrib.quantization": "tf.quantization has them",
    "tensorflow.contrib.rate": _ADDONS,
    "tensorflow.contrib.receptive_field": "the package receptive_field came after it",
    "tensorflow.contrib.recurrent": "tf.nn.dynamic_rnn or tf.while_loop do it",
    "tensorflow.contrib.reduce_slice_ops": "tf.math.segment_sum and its kin are the nearest",
    "tensorflow.contrib.remote_fused_graph": _NO_KERNEL,
    "tensorflow.contrib.rpc": _NO_KERNEL,
    "tensorflow.contrib.saved_model": "tf.saved_model has it",
    "tensorflow.contrib.session_bundle": "tf.saved_model came after it",
    "tensorflow.contrib.specs": "nothing has it any more: write the layers out",
    "tensorflow.contrib.stat_summarizer": _NO_KERNEL,
    "tensorflow.contrib.tensor_forest": _TREES,
    "tensorflow.contrib.tensorrt": "it is tf.experimental.tensorrt now",
    "tensorflow.contrib.text": "the package tensorflow_text came after it",
    "tensorflow.contrib.timeseries": "the package tensorflow_probability has tfp.sts",
    "tensorflow.examples": "it came with TensorFlow 1.15's own examples, which are installed no more",
    "tensorflow.python": "it is a part of TensorFlow's inside, which moved or ended with TensorFlow 1.15; look for the "
    "public name of what it gave",
    "tensorflow.tensorboard": "it is the package tensorboard now",
    "tensorflow.tools": "it came with TensorFlow 1.15's own tools, which are installed no more",
}
