"""Walks over the built graph: the operations that a fetch needs, and those that need it."""
from typing import Any, Callable, Dict, FrozenSet, Hashable, Iterable, List, Optional, Set, Tuple

from legacy_towers.compat import tf


def operations_of(elements: Any, graph: Any = None) -> List[Any]:
    """Returns the `tf.Operation`s of anything that `session.run` fetches.

    Args:
      elements: tensors, operations, variables, sparse or ragged tensors, names ("loss:0"), or a nested structure
        of them.
      graph: the graph that names are looked up in; the default graph if None.
    """
    graph = graph or tf.get_default_graph()
    found = []
    for element in tf.nest.flatten(elements, expand_composites=True):
        if element is None:
            continue
        element = graph.as_graph_element(element, allow_tensor=True, allow_operation=True)
        found.append(element if isinstance(element, tf.Operation) else element.op)
    return found


def fetch_key(fetches: Any) -> Optional[Hashable]:
    """Returns a key of the tensors and operations in `fetches`, equal for equal structures of the same ones.

    It is found in a microsecond, where `operations_of` takes ten. It holds identities: keep the fetches as long as the
    key.

    Args:
      fetches: None, tensors and operations, in any structure of lists, tuples and dicts.

    Returns:
      The key; None if `fetches` holds anything else, such as names or variables.
    """
    kind = type(fetches)
    if kind is list or kind is tuple:
        keys = [fetch_key(part) for part in fetches]
        return None if None in keys else (kind, tuple(keys))
    if kind is dict:
        keys = [fetch_key(part) for part in fetches.values()]
        return None if None in keys else (kind, tuple(fetches), tuple(keys))
    return id(fetches) if fetches is None or isinstance(fetches, (tf.Operation, tf.Tensor)) else None


def consumers_of(operation: Any) -> List[Any]:
    """Returns the operations that take an output of `operation`, one of them once per output that it takes."""
    return [after for tensor in operation.outputs for after in tensor.consumers()]


def ancestors(targets: Any, stop_at: Iterable[Any] = (), graph: Any = None, by_control: bool = True) -> Set[Any]:
    """Returns all operations that must run for `targets`, the operations of `targets` included.

    Args:
      targets: what `session.run` could fetch; see `operations_of`.
      stop_at: fed tensors. Their operations are part of the result, the inputs of these are not.
      graph: the graph that names are looked up in; the default graph if None.
      by_control: whether operations that only a control input leads to are among them.
    """
    ends = set(operations_of(list(stop_at), graph))

    def before(operation: Any) -> List[Any]:
        if operation in ends:
            return []
        return [tensor.op for tensor in operation.inputs] + list(operation.control_inputs if by_control else ())

    return reached(operations_of(targets, graph), before)


def descendants(sources: Iterable[Any]) -> Set[Any]:
    """Returns all operations that data flows into from the operations `sources`, these included."""
    return reached(sources, consumers_of)


def reached(starts: Iterable[Any], next_of: Callable[[Any], Iterable[Any]]) -> Set[Any]:
    """Returns all operations that are reached from `starts`, these included.

    Args:
      starts: the first operations.
      next_of: a function that takes an operation, and returns those that are reached from it in one step.
    """
    waiting = list(starts)
    seen = set(waiting)
    while waiting:
        for operation in next_of(waiting.pop()):
            if operation not in seen:
                seen.add(operation)
                waiting.append(operation)
    return seen


def depends_on(targets: Any, sources: Any) -> bool:
    """Returns whether any of `targets` needs any of `sources`: by data, by control inputs, or by being one of them."""
    return not ancestors(targets).isdisjoint(operations_of(sources))


def same_computation(one: Any, other: Any) -> bool:
    """Returns whether two operations compute the same value: equal types, attributes and inputs, recursively.

    Operations without inputs (a variable, a placeholder) are equal only if they are the same operation; constants also
    if they hold the same value. Names and devices may differ.
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
    """Returns the attributes that decide what an operation computes: (name, serialized value) pairs, sorted."""
    # "_class" holds colocations, and "_output_shapes" and similar ones are annotations: none changes the computation.
    attributes = operation.node_def.attr
    return tuple(
        (name, attributes[name].SerializeToString()) for name in sorted(attributes) if not name.startswith("_")
    )


class RunNeeds:
    """Decides from what a run fetches and feeds whether it computes any of some operations."""

    def __init__(self, operations: Iterable[Any]) -> None:
        """
        Args:
          operations: `tf.Operation`s of one graph.
        """
        self._operations = frozenset(operations)
        self._known: Dict[Tuple[FrozenSet[Any], FrozenSet[Any]], bool] = {}
        # fetch_key -> (the fetches, which keep the identities of the key in use; the answer), of runs without feeds
        self._unfed: Dict[Hashable, Tuple[Any, bool]] = {}

    def __call__(self, run_context: Any) -> bool:
        """Returns whether the run of this `tf.train.SessionRunContext` computes one that its caller does not feed."""
        original = run_context.original_args
        key = None if original.feed_dict else fetch_key(original.fetches)
        known = None if key is None else self._unfed.get(key)
        if known is not None:
            return known[1]
        graph = run_context.session.graph
        fetched = operations_of(original.fetches, graph)
        needs = self.for_run(frozenset(fetched), frozenset(operations_of(list(original.feed_dict or {}), graph)), graph)
        if key is not None:
            self._unfed[key] = (tf.nest.flatten(original.fetches), needs)
        return needs

    def for_run(self, fetched: FrozenSet[Any], fed: FrozenSet[Any], graph: Any) -> bool:
        """Returns the same for a run of `graph` that fetches and feeds these `tf.Operation`s."""
        if (fetched, fed) not in self._known:
            reached = ancestors(list(fetched), fed, graph) - fed
            self._known[fetched, fed] = not reached.isdisjoint(self._operations)
        return self._known[fetched, fed]
