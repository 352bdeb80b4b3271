"""Constants that a loop binds for the examples which it computes: they move to the function of Dataset.map.

    for thread_id in range(4):                      def parse(thread_id, name):
        box = []                                        box = []
        image = distort(read(name), box)                image = distort(read(name), box)
        images.append([image])                          return image
"""
from typing import Any, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.region import Examples

_LITERALS = {"True", "False", "None"}


def with_constants(source: Any, examples: Examples, statements: Sequence[Any], loops: Sequence[Any]) -> Examples:
    """Returns the statements that compute an example, with those of a loop that bind constants for them alone.

    Args:
      source: the file.
      examples: the statements.
      statements: all statements before the one that takes the example, in order.
      loops: the loops that collect examples.
    """
    moved = list(examples.statements)
    for each in reversed(statements):
        is_constant = isinstance(each, cst.Assign) and not calls_in(each.value) and not (
            names_of(each.value).read - _LITERALS)
        if each in moved or not is_constant or not any(one is loop for one in source.above(each) for loop in loops):
            continue
        bound = names_of(each).bound
        others = [one for one in statements if one not in moved and one is not each]
        if bound and bound <= names_of(*moved).read and not any(
            bound & (names_of(one).bound | names_of(one).read) for one in others
        ):
            moved.append(each)
    if len(moved) == len(examples.statements):
        return examples
    order = {id(each): number for number, each in enumerate(statements)}
    moved.sort(key=lambda each: order.get(id(each), -1))
    return examples._replace(statements=moved, names=examples.names.union(*(names_of(each).bound for each in moved)))
