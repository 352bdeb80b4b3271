"""The order in which statements of one function run: loops, what leaves them, what runs directly after a statement."""
from typing import Any, Callable, List, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.syntax import Source, statements_of

LOOPS = (cst.For, cst.While)


def loops_around(node: cst.CSTNode, source: Source) -> List[Any]:
    """Returns the loops that `node` runs in, up to its function, the innermost first; a loop's condition is in it."""
    found: List[Any] = []
    below = node
    for each in source.above(node):
        if isinstance(each, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            break
        if isinstance(each, cst.While) and (below is each.body or below is each.test):
            found.append(each)
        elif isinstance(each, cst.For) and below is each.body:
            found.append(each)
        below = each
    return found


def is_before(first: cst.CSTNode, second: cst.CSTNode, source: Source) -> bool:
    """Returns whether `first` stands before `second` in the file."""
    one, other = source.positions[first].start, source.positions[second].start
    return bool((one.line, one.column) < (other.line, other.column))


def following(statement: Any, source: Source) -> List[Any]:
    """Returns the statements after `statement` in its block."""
    statements = statements_of(source.block(statement))
    return statements[statements.index(statement) + 1 :]


def is_left_after(statement: Any, source: Source, is_removed: Callable[[Any], bool]) -> bool:
    """Returns whether a loop or function is left directly after `statement`: the next one is break, return or raise."""
    for each in following(statement, source):
        if not is_removed(each):
            return isinstance(each, (cst.Break, cst.Return, cst.Raise))
    return False


def ends_pass(statement: Any, loop: Any, source: Source) -> bool:
    """Returns whether nothing of the loop's body runs after the block of `statement`: `break` at its end is the same.

    Statements after `statement` in its own block are not looked at.
    """
    block = source.block(statement)
    while True:
        above = source.parents[block]
        if above is loop:
            return block is loop.body
        if isinstance(above, (cst.Else, cst.ExceptHandler)):
            statement = source.parents[above]
            if isinstance(statement, LOOPS):
                return False
            if isinstance(above, cst.Else) and isinstance(statement, cst.If):
                # An elif is in the `orelse` of another if.
                statement = _first_of_chain(statement, source)
        elif isinstance(above, cst.If):
            statement = _first_of_chain(above, source)
        elif isinstance(above, cst.With):
            statement = above
        elif isinstance(above, cst.Try) and block is above.body and above.orelse is None:
            statement = above
        else:
            return False
        if following(statement, source):
            return False
        block = source.block(statement)


def _first_of_chain(statement: cst.If, source: Source) -> cst.If:
    above = source.parents[statement]
    while isinstance(above, cst.If) and above.orelse is statement:
        statement, above = above, source.parents[above]
    return statement


def runs_directly_after(
    statement: Any, source: Source, is_goal: Callable[[Any], bool], is_removed: Callable[[Any], bool],
    catches: Callable[[cst.ExceptHandler], bool],
) -> bool:
    """Returns whether, whatever error `statement` has, a goal runs after it and nothing else that matters before.

    Args:
      statement: a small or compound statement, or a handler of a `try`.
      source: its file.
      is_goal: whether a statement is a goal.
      is_removed: whether a statement goes.
      catches: whether a handler of a `try` around may catch the error.
    """
    if isinstance(statement, cst.ExceptHandler):
        place: Any = source.parents[statement]
        if _has_goal(place.finalbody, is_goal):
            return True
    else:
        place = statement
    while place is not None:
        for each in following(place, source):
            if is_goal(each):
                return True
            if not is_removed(each):
                return False
        above = source.parents.get(source.block(place))
        if isinstance(above, cst.Else):
            if isinstance(source.parents[above], LOOPS):
                return False
            above = source.parents[above]
        elif isinstance(above, (cst.ExceptHandler, cst.Finally)):
            handled = source.parents[above]
            if isinstance(above, cst.ExceptHandler) and _has_goal(handled.finalbody, is_goal):
                return True
            above = handled
        elif isinstance(above, cst.Try):
            if above.orelse is not None or any(catches(each) for each in above.handlers):
                return False
            if _has_goal(above.finalbody, is_goal):
                return True
        if isinstance(above, cst.If):
            place = _first_of_chain(above, source)
        elif isinstance(above, (cst.With, cst.Try)):
            place = above
        else:
            return False
    return False


def _has_goal(finalbody: Optional[cst.Finally], is_goal: Callable[[Any], bool]) -> bool:
    return finalbody is not None and any(is_goal(each) for each in statements_of(finalbody.body))
