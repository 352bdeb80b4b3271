"""Convolutions of an empty feed, for which TensorFlow gives a wrong shape with oneDNN, or fails in their gradients.

Such operations have results without elements, or, as gradients of filters, zeros. They are fed to the run:

    x: [0, 28, 28, 1]  -->  Conv2D: not run, its output is fed as zeros([0, 28, 28, 32])

Only results whose shape TensorFlow infers from the shapes of all feeds are fed, and only where nothing that the
convolution depends on changes state or draws random numbers: it may not run any more. Runs without an empty feed are as
before.
"""
import weakref
from typing import Any, Callable, Dict, List, MutableMapping, Set, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import is_in_control_flow
from legacy_towers.compat.versions.onednn import uses_onednn
from legacy_towers.tensor_types import Graph, Operation

# Operation -> the input that has no examples if the batch is empty.
_EXAMPLES = {
    "Conv2D": 0, "Conv3D": 0, "DepthwiseConv2dNative": 0,
    "Conv2DBackpropInput": 2, "Conv3DBackpropInputV2": 2, "DepthwiseConv2dNativeBackpropInput": 2,
    "Conv2DBackpropFilter": 2, "Conv3DBackpropFilterV2": 2, "DepthwiseConv2dNativeBackpropFilter": 2,
    "MaxPoolGrad": 1, "MaxPool3DGrad": 1, "LRNGrad": 2,
}  # fmt: skip
# Stateful operations that change nothing.
_READS = ("Variable", "VariableV2", "VarHandleOp", "ReadVariableOp")
_Shapes = Tuple[Tuple[str, Tuple[int, ...]], ...]


class EmptyFeeds:
    """Adds the results of convolutions of empty feeds to the feeds of a run."""

    def __init__(self) -> None:
        self.is_needed = uses_onednn()
        # Graph -> (its number of operations, shapes of feeds, name of a tensor -> what is fed).
        self._found: MutableMapping[Any, Tuple[int, _Shapes, Dict[str, Any]]] = weakref.WeakKeyDictionary()

    def run(self, run: Callable[..., Any], session: Any, fetches: Any, feeds: Any, *arguments: Any) -> Any:
        """Returns run(fetches, feeds, *arguments), where empty arrays among `feeds` may add further feeds."""
        if isinstance(feeds, dict):
            for value in feeds.values():
                if isinstance(value, np.ndarray) and value.size == 0:
                    feeds = self._with_results(session.graph, feeds)
                    break
        return run(fetches, feeds, *arguments)

    def _with_results(self, graph: Graph, feeds: Dict[Any, Any]) -> Dict[Any, Any]:
        try:
            fed = {graph.as_graph_element(key, True, False): np.shape(value) for key, value in feeds.items()}
        except (TypeError, ValueError, KeyError):  # a feed of several tensors, or one that TensorFlow rejects
            return feeds
        names = {each.name for each in fed}
        added: Dict[Any, Any] = {
            name: value for name, value in self._results(graph, fed).items() if name not in names
        }
        added.update(feeds)
        return added

    def _results(self, graph: Graph, fed: Dict[Any, Tuple[int, ...]]) -> Dict[str, Any]:
        operations = graph.get_operations()
        shapes = tuple(sorted((tensor.name, shape) for tensor, shape in fed.items()))
        found = self._found.get(graph)
        if found is None or found[:2] != (len(operations), shapes):
            found = self._found[graph] = (len(operations), shapes, empty_results(graph, fed))
        return found[2]


def empty_results(graph: Graph, fed: Dict[Any, Tuple[int, ...]]) -> Dict[str, Any]:
    """Returns name of an output -> its value, of each convolution and gradient that has no examples.

    Args:
      graph: a graph that is run.
      fed: tensor -> the shape of what is fed for it.
    """
    candidates: List[Any] = [
        each for each in graph.get_operations()
        if each.type in _EXAMPLES and graph.is_feedable(each.outputs[0]) and not is_in_control_flow(each)
    ]
    if not candidates:
        return {}
    with tf.Graph().as_default() as inferred:
        inputs = {
            tensor.name: tf.placeholder(tensor.dtype.base_dtype, shape, "fed") for tensor, shape in fed.items()
        }
        tf.import_graph_def(graph.as_graph_def(), inputs, name="inferred")
        results = {}
        changing = _depending_on_changes(inferred.get_operations())
        for each in candidates:
            copy = inferred.get_operation_by_name("inferred/" + each.name)
            if copy in changing:
                continue
            examples, result = copy.inputs[_EXAMPLES[each.type]].shape, copy.outputs[0].shape
            if examples.num_elements() == 0 and examples[0].value == 0 and result.is_fully_defined():
                results[each.outputs[0].name] = np.zeros(result.as_list(), each.outputs[0].dtype.as_numpy_dtype)
    return results


def _depending_on_changes(operations: List[Operation]) -> Set[Operation]:
    """Returns the operations that change state or draw random numbers, and those that depend on them."""
    found = {each for each in operations if _changes(each)}
    count = -1
    while count < len(found):  # once more where an operation was added before one of its inputs
        count = len(found)
        for each in operations:
            if any(one.op in found for one in each.inputs) or not found.isdisjoint(each.control_inputs):
                found.add(each)
    return found


def _changes(operation: Operation) -> bool:
    if any(each.is_ref for each in operation.op_def.input_arg):  # an assignment
        return True
    is_empty = bool(operation.outputs) and all(each.shape.num_elements() == 0 for each in operation.outputs)
    return operation.op_def.is_stateful and operation.type not in _READS and not (
        is_empty and operation.type.startswith("Random")
    )
