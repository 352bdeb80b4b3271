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
