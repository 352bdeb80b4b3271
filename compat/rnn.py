"""Private functions of TensorFlow's recurrent networks that cells of scripts and of tf.contrib use.

Tried on 1.15 and 2.21: tensorflow.python.ops.rnn and .rnn_cell_impl have all of them on both. End when
tensorflow.python.ops.rnn_cell_impl, already only a remainder on 2.x, is dropped.
"""
from typing import Any

from tensorflow.python.framework import op_def_registry
from tensorflow.python.ops import rnn as _rnn
from tensorflow.python.ops import rnn_cell_impl as _cells


def assert_like_rnncell(name: str, cell: Any) -> None:
    """Raises TypeError unless `cell`, the argument called `name`, has what a recurrent cell has."""
    _cells.assert_like_rnncell(name, cell)


def transpose_batch_time(x: Any) -> Any:
    """Swaps the first two axes of `x`, and keeps what is known of its shape."""
    return _rnn._transpose_batch_time(x)


def best_effort_input_batch_size(flat_input: Any) -> Any:
    """Returns the batch size, as an int where it is known, of time-major inputs."""
    return _rnn._best_effort_input_batch_size(flat_input)


def is_stateful_op_type(name: str) -> bool:
    """Returns whether operations of the type `name` ("VariableV2") keep a state."""
    # Private: nothing public lists the types. 1.15 has the dictionary, 2.x (tried: 2.21) asks for one.
    if hasattr(op_def_registry, "get"):
        definition = op_def_registry.get(name)
    else:
        definition = op_def_registry.get_registered_ops().get(name)
    return bool(definition is not None and definition.is_stateful)


def cache_variables_of_loop(scope: Any) -> None:
    """Lets variables of `scope` be read once before a loop that is about to be made, as tf.nn.dynamic_rnn does."""
    if _rnn._should_cache() and scope.caching_device is None:
        scope.set_caching_device(lambda operation: operation.device)
