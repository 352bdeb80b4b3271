"""Patterns of operations, matched from the last operation to its inputs.

A pattern is a function of an operation and its output tensor. It returns the named operations of the match, or None if
the operation does not match:

    layer = node("Conv2D|MatMul", [ANY, node("Identity", name="weights")], name="layer")
    match = node("BiasAdd", [layer, ANY])(operation)
    match["layer"].operation
"""
import itertools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence


class Hit(NamedTuple):
    """A matched operation, and its output that the pattern above uses (None for the last operation)."""

    operation: Any
    tensor: Any


Match = Dict[str, Hit]
Pattern = Callable[..., Optional[Match]]


def node(
    types: str, inputs: Sequence[Pattern] = (), name: Optional[str] = None, any_order: bool = False
) -> Pattern:
    """Returns the pattern of an operation.

    Args:
      types: the operation type; "Add|AddV2" matches both types, "*" matches any.
      inputs: the patterns of all inputs; () matches any inputs.
      name: the key of the operation in the match.
      any_order: whether the inputs match in any order.
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
    """Returns the pattern that matches the first matching one of `patterns`."""

    def match(operation: Any, tensor: Any = None) -> Optional[Match]:
        for pattern in patterns:
            found = pattern(operation, tensor)
            if found is not None:
                return found
        return None

    return match


ANY = node("*")


def matches(pattern: Pattern, graph: Any) -> List[Match]:
    """Returns the matches of all operations of `graph`, in the order of creation."""
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
