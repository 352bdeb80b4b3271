"""Private functions of TensorFlow's recurrent networks that RNN cells of scripts and of tf.contrib use.

Tried on 1.15 and 2.21: tensorflow.python.ops.rnn and .rnn_cell_impl have all of them on both. They end when
tensorflow.python.ops.rnn_cell_impl, of which 2.x has only a part, is dropped.
"""
from typing import Any

from tensorflow.python.framework import op_def_registry
from tensorflow.python.ops import rnn as _rnn
from tensorflow.python.ops import rnn_cell_impl as _cells


def assert_like_rnncell(name: str, cell: Any) -> None:
    """Raises a TypeError unless `cell`, the argument called `name`, has the attributes of an RNN cell."""
    _cells.assert_like_rnncell(name, cell)


def transpose_batch_time(x: Any) -> Any:
    """Swaps the first two axes of `x`, and keeps its static shape."""
    return _rnn._transpose_batch_time(x)


def best_effort_input_batch_size(flat_input: Any) -> Any:
    """Returns the batch size of time-major inputs: an int if it is known statically, else a tensor."""
    return _rnn._best_effort_input_batch_size(flat_input)


def is_stateful_op_type(name: str) -> bool:
    """Returns whether operations of the type `name` ("VariableV2") keep a state."""
    # Private: nothing public lists the types. 1.15 has a dictionary, 2.x (tried: 2.21) a look-up function.
    if hasattr(op_def_registry, "get"):
        definition = op_def_registry.get(name)
    else:
        definition = op_def_registry.get_registered_ops().get(name)
    return bool(definition is not None and definition.is_stateful)


def cache_variables_of_loop(scope: Any) -> None:
    """Makes a loop that is built next read the variables of `scope` only once, before it, as tf.nn.dynamic_rnn does."""
    if _rnn._should_cache() and scope.caching_device is None:
        scope.set_caching_device(lambda operation: operation.device)
