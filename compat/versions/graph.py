"""Changes to a built graph and its operations, by TensorFlow's private API."""
import contextlib
from typing import Any, Iterator, List

import numpy as np

from legacy_towers.compat.versions import tf


def run_after(operation: Any, before: Any) -> None:
    """Adds the operation `before` as a control input of the existing `operation`.

    Neither may be in a loop, and no session may have run `operation` yet: the session would not see the change.
    """
    # Private: tf.control_dependencies reaches new operations only. Tried on 1.15 and 2.21.
    operation._add_control_input(before)


def constant_value(tensor: Any) -> Any:
    """Returns the value of a tensor that is computed from constants only, a numpy array; None of other tensors."""
    value = tf.get_static_value(tensor)
    if value is not None:
        return np.asarray(value)
    # Private: tf.get_static_value does not compute reductions. Tried on 1.15, 2.13, 2.16 and 2.21.
    from tensorflow.python.framework import tensor_util

    if hasattr(tensor_util, "try_evaluate_constant"):
        return tensor_util.try_evaluate_constant(tensor)
    from tensorflow.python import pywrap_tensorflow as api  # 1.15

    return api.TF_TryEvaluateConstant_wrapper(tensor.graph._c_graph, tensor._as_tf_output())


def is_in_control_flow(operation: Any) -> bool:
    """Returns whether `operation` was made inside a tf.cond or tf.while_loop of control flow version 1."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    return operation._get_control_flow_context() is not None


def is_in_loop(operation: Any) -> bool:
    """Returns whether `operation` was made inside a tf.while_loop of control flow version 1."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    context = operation._get_control_flow_context()
    return context is not None and context.GetWhileContext() is not None


@contextlib.contextmanager
def unfinalized(graph: Any) -> Iterator[None]:
    """Lets operations be added to a finalized graph until the context ends."""
    was_finalized = graph.finalized
    # Private: a graph can't be unfinalized in public. Tried on 1.15 and 2.21.
    graph._unsafe_unfinalize()
    try:
        yield
    finally:
        if was_finalized:
            graph.finalize()


@contextlib.contextmanager
def extending(graph: Any) -> Iterator[None]:
    """Lets operations be added to a graph, finalized or not, while other threads export it.

    TensorFlow's exports fail on operations that another thread is about to add, such as that of a Supervisor's saver.
    """
    # Private: exports hold this reentrant lock. Tried on 1.15 and 2.21.
    with graph._lock, unfinalized(graph):
        yield


def replace_input(operation: Any, index: int, tensor: Any) -> None:
    """Replaces input number `index` of the existing `operation` with `tensor`.

    `tensor` must have the dtype and shape of that input and may not depend on `operation`. No session may have run
    `operation` yet: the session would not see the change.

    Raises:
      ValueError: the dtypes differ, or the shapes are incompatible.
    """
    before = operation.inputs[index]
    if before.dtype != tensor.dtype or not before.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            "input {} of {!r} has dtype {} and shape {}, but {!r} has dtype {} and shape {}".format(
                index, operation.name, before.dtype.name, before.shape, tensor.name, tensor.dtype.name, tensor.shape
            )
        )
    # Private; it checks neither dtype nor shape. Tried on 1.15 and 2.21.
    operation._update_input(index, tensor)


def replace_control_input(before: Any, after: Any) -> None:
    """Lets the operations that run after `before`, by control inputs, run after `after` instead.

    No session may have run them yet: it would not see the change.
    """
    for operation in before.graph.get_operations():
        controls = list(operation.control_inputs)
        if before in controls:
            # Private: tf.control_dependencies reaches new operations only. Tried on 1.15 and 2.21.
            operation._remove_all_control_inputs()
            operation._add_control_inputs([after if each is before else each for each in controls])


def loops_of(operation: Any) -> List[Any]:
    """Returns the names of the tf.while_loops of control flow version 1 around `operation`, the outermost first."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    context = operation._get_control_flow_context()
    found: List[Any] = []
    while context is not None:
        if context.IsWhileContext():
            found.insert(0, context.name)
        context = context.outer_context
    return found


def conditions_of(operation: Any) -> List[Any]:
    """Returns the predicates of the tf.conds of control flow version 1 around `operation`, the innermost first."""
    # Private: nothing public reports it. Tried on 1.15 and 2.21.
    context = operation._get_control_flow_context()
    found: List[Any] = []
    while context is not None:
        if context.IsCondContext():
            found.append(context.pred)
        context = context.outer_context
    return found
