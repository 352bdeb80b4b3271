"""Examples that are used after they are batched, or by other code than what computes them."""
from typing import Any, List, Optional, Set

import libcst as cst
import libcst.matchers as matchers

from legacy_towers.migrate.source.rewrite import region
from legacy_towers.migrate.source.rewrite.checks import FETCHED, Checks, calls_in
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.names import dotted, names_of, read_first, surely_bound
from legacy_towers.migrate.source.rewrite.single import is_only_run
from legacy_towers.migrate.source.values import Site

# Functions and methods whose result depends on the graph only, such as a static shape.
_TEXTS = ("str", "repr", "type", "len")
_METHODS = ("format", "get_shape", "as_list")


def summaries_after(statements: List[Any], number: int, examples: region.Examples, checks: Checks) -> List[Any]:
    """Returns the statements after the one that takes the examples which only summarize or print single examples.

    Args:
      statements: the statements of the block, in order.
      number: the number of the one that takes the examples.
      examples: what computes them.
      checks: what is known of the file.
    """
    found = []
    bound: Set[str] = set()
    for before, each in zip(statements[number:], statements[number + 1 :]):
        bound |= names_of(before).bound
        read = names_of(each).read
        if read & examples.names and not read & bound and (checks.is_summary(each) or _prints(each)):
            found.append(each)
    return found


def _prints(statement: Any) -> bool:
    """Returns whether a statement prints tensors as they are in the graph, and not what a session gives for them."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    return isinstance(call, cst.Call) and dotted(call.func) == "print" and all(
        each is call or dotted(each.func) in _TEXTS or isinstance(each.func, cst.Attribute) and (
            each.func.attr.value in _METHODS) for each in calls_in(call))


def check_unused_after(
    entry: Entry, statements: List[Any], number: int, examples: region.Examples, skipped: List[Any], read: Site,
    queue: Optional[Site],
) -> None:
    """Raises Irregular if code uses an example after it is batched, or beside what computes it.

    Args:
      entry: where the examples come from.
      statements: the statements of its block, in order.
      number: the number of the one that takes the examples.
      examples: what computes them.
      skipped: statements after it that take them, too.
      read: the call that reads.
      queue: the call of the queue that takes batches, where the examples are batches; None otherwise.
    """
    source = entry.draft.source
    own = set(entry.roots.names)
    for each in examples.statements:
        own |= names_of(each).bound
    own -= examples.apart
    waiting = set(own)
    waiting -= names_of(statements[number]).bound
    for each in statements[number + 1 :]:
        if each in skipped:
            continue
        used = read_first([each]) & waiting
        if used and queue is not None:
            raise Irregular(queue, "{!r} is queued, and is used after that too".format(
                sorted(used)[0]), source.line(_use(each, used)))
        if used:
            why = FETCHED if is_only_run(source, each, used) else (
                "{!r} holds one example, and is used after the batch".format(sorted(used)[0]))
            raise Irregular(read, why, source.line(_use(each, used)))
        waiting -= names_of(each).bound
    moved = {id(each) for each in examples.statements}
    for each in statements[:number]:
        if id(each) in moved or not isinstance(each, (cst.FunctionDef, cst.ClassDef)):
            continue
        used = names_of(each).read & own
        if used:
            raise Irregular(read, "{!r} holds one example, and {} uses it".format(
                sorted(used)[0], each.name.value), source.line(each))
    is_nested = source.block(statements[number]) is not (
        entry.function.body if entry.function is not None else source.module
    ) and not (entry.branch and isinstance(statements[-1], cst.Return))
    # Where all branches batch, code after them reads batches that have the names of examples.
    if is_nested and _is_read_elsewhere(
        entry, statements, waiting if entry.branch else own - surely_bound(statements[number])
    ):
        raise Irregular(read, "what is computed from one example is used after the block that reads it")


def _use(statement: Any, names: Set[str]) -> Any:
    """Returns the first line of a statement, such as a loop, that reads one of the names; else the statement."""
    lines = matchers.findall(statement, matchers.SimpleStatementLine())
    return next((line for line in lines if names_of(line).read & names), statement)


def _is_read_elsewhere(entry: Entry, statements: List[Any], own: Set[str]) -> bool:
    """Returns whether code after the block of `statements` reads one of the names `own`."""
    body = entry.function.body if entry.function is not None else entry.draft.source.module
    inside = {id(each) for each in statements}
    outer = [each for each in region.in_order(body) if id(each) not in inside]
    source = entry.draft.source
    around = {id(each) for each in [*source.above(statements[0]), *entry.others]}
    last = source.line(statements[-1])
    return any(
        names_of(each).read & own for each in outer if id(each) not in around and source.line(each) > last
    )
