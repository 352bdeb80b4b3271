"""An `if` and the `if` of the opposite condition after it.

    if train:
        batch = tf.train.shuffle_batch(...)
    if not train:
        batch = tf.train.batch(...)
"""
from typing import Any, List, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.syntax import Source


def opposite_of(source: Source, statements: Sequence[Any], number: int) -> List[cst.If]:
    """Returns the statement after an `if`, in a list, where it is an `if` of the opposite condition; [] elsewhere."""
    found = statements[number : number + 2]
    if len(found) != 2 or not all(isinstance(each, cst.If) and each.orelse is None for each in found):
        return []
    first, second = (each.test for each in found)
    texts = [source.code(each).strip() for each in (first, second)]
    is_opposite = source.block(found[0]) is source.block(found[1]) and (
        _negated(source, first) == texts[1] or _negated(source, second) == texts[0])
    changed = names_of(found[0].body)
    return [found[1]] if is_opposite and isinstance(_of_not(first), (cst.Name, cst.Attribute)) and not (
        names_of(first).read & (changed.bound | changed.changed)) else []


def _of_not(test: Any) -> Any:
    """Returns the condition of `not condition`, and another one as it is."""
    return test.expression if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not) else test


def _negated(source: Source, test: Any) -> str:
    """Returns the text of the condition of `not condition`, "" for another one."""
    return source.code(_of_not(test)).strip() if _of_not(test) is not test else ""
