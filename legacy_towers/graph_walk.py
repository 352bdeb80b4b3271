"""Which operations a fetch needs: walks back over inputs and control inputs of the built graph."""
from typing import Any, Iterable, List, Set

from legacy_towers.compat import tf


def operations_of(elements: Any, graph: Any = None) -> List[Any]:
    """Returns the `tf.Operation`s behind anything that `session.run` fetches.

    Args:
      elements: tensors, operations, variables, sparse or ragged tensors, names ("loss:0"), or a nested structure
        of them.
      graph: where names are looked up; the default graph if None.
    """
    graph = graph or tf.get_default_graph()
    found = []
    for element in tf.nest.flatten(elements, expand_composites=True):
        if element is None:
            continue
        element = graph.as_graph_element(element, allow_tensor=True, allow_operation=True)
        found.append(element if isinstance(element, tf.Operation) else element.op)
    return found


def ancestors(targets: Any, stop_at: Iterable[Any] = ()) -> Set[Any]:
    """Returns all operations that must run for `targets`, the operations of `targets` included.

    Args:
      targets: what `session.run` could fetch; see `operations_of`.
      stop_at: fed tensors: their operations are part of the result, but what lies behind them isn't looked at.
    """
    waiting = operations_of(targets)
    ends = set(operations_of(list(stop_at)))
    seen = set(waiting)
    while waiting:
        operation = waiting.pop()
        if operation in ends:
            continue
        for before in [tensor.op for tensor in operation.inputs] + list(operation.control_inputs):
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return seen


def depends_on(targets: Any, sources: Any) -> bool:
    """Says whether any of `targets` needs any of `sources`: by data, by control inputs, or by being one of them."""
    return not ancestors(targets).isdisjoint(operations_of(sources))
