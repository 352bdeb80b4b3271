"""Type aliases for TensorFlow's objects, for the signatures of public functions.

TensorFlow ships no types that a type checker can use, and its classes differ between 1.15 and 2.x, so that these
aliases are `Any` to a checker. To a reader they say what a function takes and returns. Nothing here imports TensorFlow.
"""
from typing import Any, List, Optional, Tuple

# A `tf.Tensor`. Where a docstring says so, what `tf.convert_to_tensor` accepts as well.
Tensor = Any

# A `tf.Operation`, such as a train op.
Operation = Any

# A variable of either kind: resource variables and ref variables have no common base class on all versions.
Variable = Any

# A gradient of one variable: a `tf.Tensor`, or a `tf.IndexedSlices` where the gradient is sparse.
Gradient = Any

# (gradient, variable) pairs, as `tf.train.Optimizer.compute_gradients` returns them; None is a missing gradient.
GradientPairs = List[Tuple[Optional[Gradient], Variable]]

# A `tf.train.Optimizer`, or an object with its methods `compute_gradients` and `apply_gradients`.
Optimizer = Any

# A `tf.Graph`.
Graph = Any

# A `tf.Session`, or a session of `tf.train.MonitoredSession`.
Session = Any

# A `tf.train.SessionRunHook`.
SessionRunHook = Any

# A `tf.train.Coordinator`.
Coordinator = Any

# A `tf.ConfigProto`.
ConfigProto = Any

# A `tf.DType`.
DType = Any

# A `tf.data.Dataset`.
Dataset = Any

# A nested structure (tuples, lists, dicts) of tensors, such as one tower's batch.
NestedTensors = Any

# What `Session.run` accepts as `fetches`: a tensor, an operation, a name, or a nested structure of them.
Fetches = Any

# A device as TensorFlow spells it: "/cpu:0", "/device:GPU:1", "/job:ps/task:0"; "" leaves the choice to TensorFlow.
DeviceString = str
