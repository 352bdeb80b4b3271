"""What a function that reads returns, as an element of its dataset."""
from typing import Any, List, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, returns_of
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.region import Examples
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.tensors import is_tensor, tensors_of
from legacy_towers.migrate.source.values import Site


def returned_element(
    calls: Calls, read: Site, entry: Entry, statement: Any, examples: Examples
) -> Tuple[Element, List[int]]:
    """Returns the element that a function returns which reads, and the places of what it returns beside an example.

    Args:
      calls: the functions and calls of the pipeline.
      read: the call that reads.
      entry: where the function gets examples.
      statement: the return statement.
      examples: what computes an example.

    Raises:
      Irregular: with the call `read`, where the source does not show it.
    """
    if not isinstance(statement, cst.Return) or entry.function is None:
        raise Irregular(read, "what it reads is neither batched nor returned there",
                        entry.draft.source.line(statement))
    value, source = statement.value, entry.draft.source
    scope = Scope(source, entry.function)
    names = examples.names | set(entry.roots.names)

    def written(node: Any) -> Any:
        # In `return read(queue)` the call is one of a record now.
        return entry.draft.edits.done(node) if entry.is_computing and statement is entry.statement else node

    called = calls.function_of(entry.draft, value) if isinstance(value, cst.Call) else None
    size = _size_of_result(called.node) if called is not None else 0
    shown = [Scope(called.draft.source, called.node).resolved(each.value) for each in returns_of(called.node)
             if each.value is not None] if called is not None else []
    if shown and all(isinstance(each, cst.Dict) for each in shown):
        return Element.of([written(value)], source), []
    if size > 1:
        return Element.of([written(value)], source)._replace(size=size), []
    if isinstance(value, (cst.Tuple, cst.List)):
        beside = [
            number for number, each in enumerate(value.elements) if not names_of(each.value).read & names and (
                not is_tensor(calls, entry.draft, scope.resolved(each.value), [], scope))
        ]
        parts = [written(each.value) for number, each in enumerate(value.elements) if number not in beside]
        return Element.of(parts, source), beside
    if isinstance(value, (cst.Name, cst.Attribute, cst.Subscript, cst.Dict)) or (
        isinstance(value, cst.Call) and calls.function_of(entry.draft, value) is None
    ):
        found = scope.resolved(value)
        if isinstance(found, (cst.List, cst.Tuple, cst.ListComp)):
            raise Irregular(read, "it returns a list", source.line(statement))
        return Element.of([written(value)], source), []
    if _is_number(value) or is_tensor(calls, entry.draft, value, tensors_of(calls, entry, examples, scope), scope):
        return Element.of([written(value)], source), []
    raise Irregular(read, "the source does not show what is returned", source.line(statement))


def _is_number(value: Any) -> bool:
    """Returns whether an expression is arithmetic that lists and tuples do not have: `image / 255.0 - 0.5`."""
    if isinstance(value, cst.Float):
        return True
    if not isinstance(value, cst.BinaryOperation):
        return False
    is_own = isinstance(value.operator, (cst.Subtract, cst.Divide, cst.FloorDivide, cst.Power))
    return is_own or _is_number(value.left) or _is_number(value.right)


def _size_of_result(function: Any) -> int:
    """Returns the number of the elements of the tuples that a function returns; 0 if it returns something else."""
    sizes = {len(each.value.elements) if isinstance(each.value, cst.Tuple) else 0 for each in returns_of(function)}
    return sizes.pop() if len(sizes) == 1 else 0
