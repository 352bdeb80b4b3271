"""tf.contrib.eager, for scripts with tf.enable_eager_execution()."""
from legacy_towers.compat.tf1.contrib.eager import metrics
from legacy_towers.compat.tf1.contrib.eager.network import Network, Sequential
from legacy_towers.compat.tf1.contrib.eager.saver import Saver, get_optimizer_variables
from legacy_towers.compat.tf1.contrib.private.eager_names import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    Checkpointable,
    EagerVariableStore,
    Iterator,
    Variable,
    async_clear_error,
    async_wait,
    defun,
    execution_mode,
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    list_devices,
    num_gpus,
    py_func,
    run,
    set_execution_mode,
    value_and_gradients_function,
)
from legacy_towers.compat.versions import tf

Checkpoint = tf.train.Checkpoint
GradientTape = tf.GradientTape
TensorSpec = tf.TensorSpec
custom_gradient = tf.custom_gradient
enable_eager_execution = tf.enable_eager_execution
executing_eagerly = in_eager_mode = tf.executing_eagerly
function = tf.function
make_template = tf.make_template

__all__ = [
    "ASYNC",
    "Checkpoint",
    "Checkpointable",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "EagerVariableStore",
    "GradientTape",
    "Iterator",
    "Network",
    "SYNC",
    "Saver",
    "Sequential",
    "TensorSpec",
    "Variable",
    "async_clear_error",
    "async_wait",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "execution_mode",
    "function",
    "get_optimizer_variables",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "make_template",
    "metrics",
    "num_gpus",
    "py_func",
    "run",
    "set_execution_mode",
    "value_and_gradients_function",
]
