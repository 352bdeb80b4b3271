"""What TensorFlow does to a built graph and keeps to itself."""
from typing import Any


def run_after(operation: Any, before: Any) -> None:
    """Makes `operation`, which exists, wait for the operation `before`, as if it had been made under it.

    The two must not be in a loop, and no session may have run `operation` yet: it would keep the graph as it was.
    """
    # Private: tf.control_dependencies reaches new operations only. Tried on 1.15 and 2.21.
    operation._add_control_input(before)


def is_in_control_flow(operation: Any) -> bool:
    """Returns whether `operation` was made inside a tf.cond or tf.while_loop of the first version."""
    # Private: nothing public tells. Tried on 1.15 and 2.21.
    return operation._get_control_flow_context() is not None


def replace_input(operation: Any, index: int, tensor: Any) -> None:
    """Lets `operation`, which exists, read `tensor` as its input number `index` in place of what it reads.

    The two must be of the same dtype and shape, `tensor` may not depend on `operation`, and no session may have run
    `operation` yet: it would keep the graph as it was.

    Raises:
      ValueError: the dtypes differ, or the shapes can't be the same.
    """
    before = operation.inputs[index]
    if before.dtype != tensor.dtype or not before.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            "input {} of {!r} is {} of shape {}, {!r} is {} of shape {}".format(
                index, operation.name, before.dtype.name, before.shape, tensor.name, tensor.dtype.name, tensor.shape
            )
        )
    # Private, and checks neither dtype nor shape. Tried on 1.15 and 2.21.
    operation._update_input(index, tensor)
