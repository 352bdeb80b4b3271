"""Which operations a fetch needs, and which need it: walks over the built graph, back and forth."""
from typing import Any, Iterable, List, Set, Tuple

from legacy_towers.compat import tf


def operations_of(elements: Any, graph: Any = None) -> List[Any]:
    """Returns the `tf.Operation`s behind anything that `session.run` fetches.

    Args:
      elements: tensors, operations, variables, sparse or ragged tensors, names ("loss:0"), or a nested structure
        of them.
      graph: the graph they are of; the default graph if None.
    """
    graph = graph or tf.get_default_graph()
    found = []
    for element in tf.nest.flatten(elements, expand_composites=True):
        if element is None:
            continue
        element = graph.as_graph_element(element, allow_tensor=True, allow_operation=True)
        found.append(element if isinstance(element, tf.Operation) else element.op)
    return found


def ancestors(targets: Any, stop_at: Iterable[Any] = (), graph: Any = None) -> Set[Any]:
    """Returns all operations that must run for `targets`, the operations of `targets` included.

    Args:
      targets: what `session.run` could fetch; see `operations_of`.
      stop_at: fed tensors: their operations are part of the result, but what lies behind them isn't looked at.
      graph: the graph they are of; the default graph if None.
    """
    waiting = operations_of(targets, graph)
    ends = set(operations_of(list(stop_at), graph))
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


def descendants(sources: Iterable[Any]) -> Set[Any]:
    """Returns all operations that data flows into from the operations `sources`, these included."""
    waiting = list(sources)
    seen = set(waiting)
    while waiting:
        for tensor in waiting.pop().outputs:
            for after in tensor.consumers():
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return seen


def depends_on(targets: Any, sources: Any) -> bool:
    """Says whether any of `targets` needs any of `sources`: by data, by control inputs, or by being one of them."""
    return not ancestors(targets).isdisjoint(operations_of(sources))


def same_computation(one: Any, other: Any) -> bool:
    """Says whether two operations compute the same from the same: equal types, attributes and inputs, back to the end.

    What has no inputs (a variable, a placeholder) is the same only if it is the same operation; a
    constant also if it holds the same value. Names and devices may differ.
    """
    waiting = [(one, other)]
    seen = set()  # type: Set[Any]
    while waiting:
        first, second = waiting.pop()
        if first is second or (first, second) in seen:
            continue
        seen.add((first, second))
        if first.type != second.type or len(first.inputs) != len(second.inputs):
            return False
        if (not first.inputs and first.type != "Const") or attributes_of(first) != attributes_of(second):
            return False
        for left, right in zip(first.inputs, second.inputs):
            if left.value_index != right.value_index:
                return False
            waiting.append((left.op, right.op))
    return True


def attributes_of(operation: Any) -> Tuple[Tuple[str, bytes], ...]:
    """Returns what an operation's attributes say of its computation, by name, as a value that can be hashed."""
    # "_class" holds colocations and "_output_shapes" and the like are notes: neither changes what is computed.
    attributes = operation.node_def.attr
    return tuple(
        (name, attributes[name].SerializeToString()) for name in sorted(attributes) if not name.startswith("_")
    )
