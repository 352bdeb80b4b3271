"""Parts of an example that are tuples of tensors: a batcher stacks them, and Dataset.map makes structures of them.

    sample["pair"] = first, second          sample["pair"] = tf.stack([first, second])
"""
from typing import Any, List, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import base_name
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.visiting import Visitor
from legacy_towers.migrate.source.values import Site


def stack_tuples(calls: Calls, entry: Entry, statements: Sequence[Any], element: Element, site: Site) -> None:
    """Stacks the tuples in the dict that is an example.

    Args:
      calls: the functions and calls of the pipeline.
      entry: where the examples come from.
      statements: the statements that compute an example.
      element: the example.
      site: the call that reads.

    Raises:
      Irregular: a part of the example is a tuple in another expression.
    """
    source = entry.draft.source
    parts = element.example or element.parts
    parsed = [cst.parse_expression(part) for part in parts]
    if any(isinstance(each, cst.Tuple) for each in parsed if len(parsed) > 1) or any(
        isinstance(one, cst.DictElement) and isinstance(one.value, cst.Tuple)
        for each in parsed if isinstance(each, cst.Dict) for one in each.elements
    ):
        raise Irregular(site, "a part of its examples is a tuple, which a batch stacks: use tf.stack")
    tuples: List[Any] = []
    for statement in statements:
        _Tuples(set(parts), tuples).visit(statement)
    if tuples:
        tf = calls.tensorflow(Scope(source, entry.function), site)
        for node in tuples:
            text = ", ".join(source.code(each.value) for each in node.elements)
            entry.draft.edits.replace(node, cst.parse_expression("{}.stack([{}])".format(tf, text)))


class _Tuples(Visitor):
    """Finds the tuples that statements put into a dict of one of some names."""

    def __init__(self, names: Any, found: List[Any]) -> None:
        super().__init__()
        self._names, self._found = names, found

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Assign(self, node: cst.Assign) -> None:
        for each in node.targets:
            target: Any = each.target
            is_put = isinstance(target, cst.Subscript) and base_name(target) in self._names
            if is_put and isinstance(node.value, cst.Tuple):
                self._found.append(node.value)
            if isinstance(target, cst.Name) and target.value in self._names and isinstance(node.value, cst.Dict):
                self._found += [
                    one.value for one in node.value.elements
                    if isinstance(one, cst.DictElement) and isinstance(one.value, cst.Tuple)
                ]
