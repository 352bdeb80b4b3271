"""Patterns of operations, found from their end upwards.

A pattern is a function of a tensor's operation and the tensor. It returns what it found by the names in the pattern, or
None where the graph is another:

    layer = node("Conv2D|MatMul", [ANY, node("Identity", name="weights")], name="layer")
    match = node("BiasAdd", [layer, ANY])(operation)
    match["layer"].operation
"""
import itertools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence


class Hit(NamedTuple):
    """What stands at a named place: the operation, and which of its outputs the pattern above reads (None: the end)."""

    operation: Any
    tensor: Any


Match = Dict[str, Hit]
Pattern = Callable[..., Optional[Match]]


def node(
    types: str, inputs: Sequence[Pattern] = (), name: Optional[str] = None, any_order: bool = False
) -> Pattern:
    """Returns the pattern of an operation.

    Args:
      types: its type; "Add|AddV2" is either, "*" any.
      inputs: patterns of all its inputs; none: they may be anything.
      name: under which it is in the match.
      any_order: its inputs may be swapped.
    """
    allowed = None if types == "*" else frozenset(types.split("|"))

    def match(operation: Any, tensor: Any = None) -> Optional[Match]:
        if allowed is not None and operation.type not in allowed:
            return None
        found: Match = {} if name is None else {name: Hit(operation, tensor)}
        if not inputs:
            return found
        if len(operation.inputs) != len(inputs):
            return None
        for patterns in itertools.permutations(inputs) if any_order else [inputs]:
            below = _match_all(patterns, operation.inputs)
            if below is not None:
                return dict(found, **below)
        return None

    return match


def one_of(*patterns: Pattern) -> Pattern:
    """Returns the pattern that is the first of `patterns` that matches."""

    def match(operation: Any, tensor: Any = None) -> Optional[Match]:
        for pattern in patterns:
            found = pattern(operation, tensor)
            if found is not None:
                return found
        return None

    return match


ANY = node("*")


def matches(pattern: Pattern, graph: Any) -> List[Match]:
    """Returns the matches of all operations of `graph`, in the order in which they were made."""
    found = [pattern(operation) for operation in list(graph.get_operations())]
    return [match for match in found if match is not None]


def _match_all(patterns: Sequence[Pattern], tensors: Sequence[Any]) -> Optional[Match]:
    found: Match = {}
    for pattern, tensor in zip(patterns, tensors):
        below = pattern(tensor.op, tensor)
        if below is None:
            return None
        found.update(below)
    return found
