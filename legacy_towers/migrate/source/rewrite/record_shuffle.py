"""How a queue of records shuffles, which is made once or in both branches of an `if`, where it is filled.

    if train:
        records = tf.RandomShuffleQueue(100, 50, ...)        if train:
    else:                                                        dataset = dataset.shuffle(100)
        records = tf.FIFOQueue(100, ...)
"""
from typing import Any, List, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.keywords import known
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.origins import DEQUEUE, branches_of
from legacy_towers.migrate.source.rewrite.region import in_order, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import queues
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant, refuse_shared
from legacy_towers.migrate.source.rewrite.syntax import Source, arguments
from legacy_towers.migrate.source.values import Site


def shuffle_lines(calls: Calls, made: Sequence[Site], scope: Scope, dataset: str, place: Any) -> List[str]:
    """Returns the statements that shuffle a dataset of records as the queue did.

    Args:
      calls: the functions and calls of the pipeline.
      made: the calls that make the queue.
      scope: where they are.
      dataset: the name of the dataset.
      place: the statement that fills the queue.

    Raises:
      Irregular: the source does not show how it shuffles there.
    """
    source = scope.source
    shuffles = [_shuffle(calls, scope, dataset, each) for each in made]
    nodes = [calls.call(each) for each in made]
    read = names_of(*nodes).read
    if len(shuffles) == 1:
        _check_unchanged(source, made[0], source.statement(nodes[0]), place, read)
        return shuffles[0]
    branches = branches_of(source, nodes)
    orelse = branches.orelse if branches is not None else None
    if branches is None or len(shuffles) > 2 or not isinstance(orelse, cst.Else):
        raise Irregular(made[1], "its examples go through several queues")
    test = names_of(branches.test).read
    if names_of(branches).bound & test or calls_in(branches.test):
        raise Irregular(made[0], "the condition of its queue changes before it is filled")
    _check_unchanged(source, made[0], branches, place, read | test)
    first, second = reversed(shuffles) if any(each is orelse for each in source.above(nodes[0])) else shuffles
    condition = scope.code(branches.test)
    if first == second:
        return first
    if first and second:
        return ["if {}:".format(condition)] + _indented(first) + ["else:"] + _indented(second)
    return ["if {}:".format(condition if first else "not ({})".format(condition))] + _indented(first or second)


def _indented(lines: Sequence[str]) -> List[str]:
    return ["    " + each for each in lines]


def _check_unchanged(source: Source, site: Site, made: Any, place: Any, names: Set[str]) -> None:
    """Raises Irregular if `names`, which the queue is made with, are bound again before it is filled."""
    block = in_order(region_of(source, made))
    around = [place] + source.above(place)
    end = next((number for number, each in enumerate(block) if any(each is one for one in around)), None)
    if end is None:
        raise Irregular(site, "it is filled in another block than it is made in: in a loop, perhaps")
    again = [each for each in block[block.index(made) + 1 : end] if names_of(each).bound & names]
    if again:
        raise Irregular(site, "what it is made with changes before it is filled", source.line(again[0]))


def _shuffle(calls: Calls, scope: Scope, dataset: str, site: Site) -> List[str]:
    given = known(site, arguments(calls.call(site), queues.PARAMETERS[site.name]))
    if "capacity" not in given or "names" in given and literal(given["names"]) != "None":
        raise Irregular(site, "its call has no capacity, or has names")
    try:
        refuse_shared(given)
        return queues.lines_of(site.name, given, DEQUEUE, {}, scope, "", dataset, False)
    except Cant as why:
        raise Irregular(site, str(why)) from None
