"""Names of tf.contrib.eager that TensorFlow keeps in private modules. Tested on 1.15, 2.13 and 2.21."""
import collections
from typing import Any

from tensorflow.python.data.ops import iterator_ops
from tensorflow.python.eager import backprop, context
from tensorflow.python.framework.ops import eager_run
from tensorflow.python.ops import script_ops, variable_scope
from tensorflow.python.ops.resource_variable_ops import ResourceVariable

from legacy_towers.compat.versions import tf

try:
    from tensorflow.python.trackable.autotrackable import AutoTrackable
except ImportError:  # TensorFlow 1.15
    from tensorflow.python.training.tracking.tracking import AutoTrackable

Checkpointable = AutoTrackable
implicit_gradients = backprop.implicit_grad
implicit_value_and_gradients = backprop.implicit_val_and_grad
gradients_function = backprop.gradients_function
value_and_gradients_function = backprop.val_and_grad_function
num_gpus = context.num_gpus
EagerVariableStore = variable_scope.EagerVariableStore
Variable = ResourceVariable
py_func = script_ops.eager_py_func
DEVICE_PLACEMENT_EXPLICIT = context.DEVICE_PLACEMENT_EXPLICIT
DEVICE_PLACEMENT_SILENT = context.DEVICE_PLACEMENT_SILENT
DEVICE_PLACEMENT_WARN = context.DEVICE_PLACEMENT_WARN
SYNC, ASYNC = context.SYNC, context.ASYNC
execution_mode = context.execution_mode
set_execution_mode = context.set_execution_mode
async_wait = context.async_wait
async_clear_error = context.async_clear_error
run = eager_run
# The class of dataset iterators under eager execution: OwnedIterator on 2.x, IteratorV2 on 1.15.
_Iterator = getattr(iterator_ops, "OwnedIterator", None) or iterator_ops.IteratorV2


class Iterator(_Iterator):  # type: ignore[misc, valid-type]
    """Iterates over a tf.data.Dataset under eager execution.

    Raises:
      RuntimeError: eager execution is not enabled.
    """

    def __init__(self, dataset: Any) -> None:
        super().__init__(dataset)

    def next(self) -> Any:
        """Returns the next element."""
        return self.__next__()


def defun(func: Any = None, input_signature: Any = None, autograph: bool = True, **options: Any) -> Any:
    """Compiles `func` into a graph by tf.function; without `func`, returns a decorator."""
    options = {key: value for key, value in options.items() if value is not None}
    options = collections.OrderedDict(input_signature=input_signature, autograph=autograph, **options)
    if func is None:
        return lambda given: tf.function(given, **options)
    return tf.function(func, **options)


def list_devices() -> Any:
    """Returns the names of the logical devices."""
    eager_context = context.context()
    if not hasattr(eager_context, "list_logical_devices"):  # 1.15
        return list(eager_context.devices())
    return [device.name for device in eager_context.list_logical_devices()]
