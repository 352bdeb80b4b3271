"""Convolutions and pooling of an empty batch: of the part that a tower gets when others took all of the last batch.

With oneDNN, TensorFlow gives them the shape of their input (seen on 2.13, 2.16 and 2.21); what follows then fails:

    images[4:8] of 3 images: [0, 12, 12, 3] --> Conv2D: [0, 12, 12, 3], not [0, 8, 8, 16] --> BiasAdd: an error
"""
import weakref
from typing import Any, Callable, MutableMapping, Set

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import extending, is_in_control_flow, replace_input
from legacy_towers.compat.versions.onednn import VARIABLE, uses_onednn
from legacy_towers.tensor_types import Graph, Operation, Tensor

_CONVOLUTIONS = ("Conv2D", "Conv3D", "DepthwiseConv2dNative")
# Gradient -> the input that is reshaped, so that TensorFlow does not choose a kernel of oneDNN that fails or aborts if
# the batch is empty: one for the gradients of a filter and of the bias after it, and those that get more than the
# result of an operation that oneDNN computed.
_GRADIENTS = {
    "Conv2DBackpropFilter": 2, "Conv3DBackpropFilterV2": 2, "DepthwiseConv2dNativeBackpropFilter": 2,
    "MaxPoolGrad": 1, "MaxPool3DGrad": 1, "LRNGrad": 2,
}
# They can leave nothing of a batch that is not empty.
_PARTS = ("DynamicPartition", "Gather", "GatherNd", "GatherV2", "Slice", "Split", "SplitV", "StridedSlice")


class EmptyBatches:
    """Gives convolutions of a part of a batch the shape that they have on TensorFlow 1.x, where the part is empty.

    A reshape runs after each of them. Convolutions of other batches are as before, since a reshape prevents that
    TensorFlow computes a convolution and what follows it in one kernel.
    """

    def __init__(self) -> None:
        self._is_needed = uses_onednn()
        # Graph -> how many of its operations were examined.
        self._examined: MutableMapping[Any, int] = weakref.WeakKeyDictionary()

    def keep_shapes(self, graph: Graph) -> None:
        """Reshapes the convolutions that were added to `graph` since the last call; no session may have run them."""
        operations = graph.get_operations() if self._is_needed else []
        examined = self._examined.get(graph, 0)
        if not any(each.type in _CONVOLUTIONS or each.type in _GRADIENTS for each in operations[examined:]):
            return
        maybe_empty: Set[Operation] = set()
        for operation in operations:
            if _takes_part(operation) or any(each.op in maybe_empty for each in operation.inputs):
                maybe_empty.add(operation)
        for operation in operations[examined:]:
            if operation in maybe_empty and operation.type in _CONVOLUTIONS:
                _keep_shape(operation)
            elif operation in maybe_empty and operation.type in _GRADIENTS:
                _keep_apart(operation, _GRADIENTS[operation.type])
        self._examined[graph] = len(graph.get_operations())

    def report(self, graph: Graph, feeds: Any, print_line: Callable[[str], None]) -> None:
        """Prints what to do about a run that failed, if a fed batch is empty and may be the cause."""
        empty = [each for each, value in feeds.items() if np.size(value) == 0] if isinstance(feeds, dict) else []
        if self._is_needed and empty and any(each.type in _CONVOLUTIONS for each in graph.get_operations()):
            print_line(
                "{!r} is fed an empty batch: with oneDNN, TensorFlow gives a convolution of it the shape of its input; "
                "leave out such steps, or set {}=0".format(getattr(empty[0], "name", empty[0]), VARIABLE)
            )


def _takes_part(operation: Operation) -> bool:
    """Returns whether an operation takes a part of a batch, of which the size is not known before the run."""
    if operation.type not in _PARTS:
        return False
    shape = operation.outputs[0].shape
    return shape.rank is None or shape.rank > 1 and shape[0].value is None


def _keep_shape(convolution: Operation) -> None:
    output = convolution.outputs[0]
    if output.shape.rank is None or is_in_control_flow(convolution):
        return
    rows, *others = output.shape.as_list()
    if rows is not None or None in others or not output.consumers():
        return
    reshaped = _reshaped(output, others, convolution)
    for consumer in output.consumers():
        for index, each in enumerate(consumer.inputs):
            if each is output and consumer is not reshaped.op:
                replace_input(consumer, index, reshaped)


def _keep_apart(gradient: Operation, index: int) -> None:
    """Reshapes input number `index` of a gradient to the shape that it has."""
    given = gradient.inputs[index]
    if given.shape.rank is not None and not is_in_control_flow(gradient) and None not in given.shape.as_list()[1:]:
        replace_input(gradient, index, _reshaped(given, given.shape.as_list()[1:], gradient))


def _reshaped(output: Tensor, others: Any, near: Operation) -> Tensor:
    """Returns `output` with the static shape [-1] + `others`, in the name scope and on the device of `near`."""
    graph = output.graph
    with extending(graph), graph.as_default(), tf.control_dependencies(None), tf.name_scope(near.name + "/"):
        with tf.device(near.device):
            # TensorFlow would leave out a reshape to a constant shape that the convolution is known to have.
            shape = tf.placeholder_with_default(tf.constant([-1] + others, tf.int32), [1 + len(others)], "shape")
            reshaped = tf.reshape(output, shape, "rows")
    reshaped.set_shape(output.shape)
    return reshaped
