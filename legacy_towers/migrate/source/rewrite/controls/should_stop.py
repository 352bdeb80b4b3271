"""`coord.should_stop()` without a coordinator is False: loops and conditions are written without it.

    while not coord.should_stop():              while True:
    while step < n and not coord.should_stop(): while step < n:
    if coord.should_stop(): break
"""
from typing import Any, List, Optional, Union

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls.blocks import Changes
from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.controls.uses import CoordinatorUses
from legacy_towers.migrate.source.rewrite.visiting import Visitor

Folded = Union[bool, cst.BaseExpression]


class _Unclear(Exception):
    """A condition has no simpler form."""


def remove(file: ControlFile, uses: CoordinatorUses, changes: Changes) -> bool:
    """Adds the changes of the conditions that ask a coordinator; returns False if it must stay."""
    done: List[Any] = []
    for call in uses.asked:
        statement = _condition_of(file, call)
        if statement is None:
            return False
        if statement in done:
            continue
        done.append(statement)
        try:
            test = _folded(statement.test, uses.asked)
        except _Unclear:
            return False
        is_done = _loop(statement, test, changes) if isinstance(statement, cst.While) else _if(
            file, statement, test, changes
        )
        if not is_done:
            return False
    return True


def _condition_of(file: ControlFile, call: cst.Call) -> Optional[Any]:
    """Returns the `while` or `if` whose condition asks, None where something else does."""
    node: cst.CSTNode = call
    above = file.source.parents[node]
    while isinstance(above, (cst.UnaryOperation, cst.BooleanOperation, cst.Comparison)):
        node, above = above, file.source.parents[above]
    return above if isinstance(above, (cst.While, cst.If)) and above.test is node else None


def _folded(node: cst.BaseExpression, asked: List[cst.Call]) -> Folded:
    """Returns what a condition is where `asked` are False."""
    if node in asked:
        return False
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        inner = _folded(node.expression, asked)
        if isinstance(inner, bool):
            return not inner
        return node if inner is node.expression else node.with_changes(expression=_in_parentheses(inner))
    if isinstance(node, cst.BooleanOperation):
        return _boolean(node, asked)
    if isinstance(node, cst.Comparison) and node.left in asked:
        return _compared(node)
    finder = _Asked(asked)
    finder.visit(node)
    if finder.found:
        raise _Unclear()
    return node


def _boolean(node: cst.BooleanOperation, asked: List[cst.Call]) -> Folded:
    left, right = _folded(node.left, asked), _folded(node.right, asked)
    neutral = isinstance(node.operator, cst.And)
    if left is (not neutral):
        return not neutral
    if right is (not neutral):
        # The other side is computed, and may do something.
        raise _Unclear()
    if left is neutral or right is neutral:
        kept = right if left is neutral else left
        if isinstance(kept, bool):
            return kept
        return kept.with_changes(lpar=node.lpar, rpar=node.rpar) if node.lpar and not kept.lpar else kept
    if left is node.left and right is node.right:
        return node
    return node.with_changes(left=left, right=right)


def _compared(node: cst.Comparison) -> bool:
    """Returns what `coord.should_stop() == False` and the like are."""
    if len(node.comparisons) == 1:
        value = node.comparisons[0].comparator
        operator = node.comparisons[0].operator
        if isinstance(value, cst.Name) and value.value in ("True", "False"):
            is_same = value.value == "False"
            if isinstance(operator, (cst.Equal, cst.Is)):
                return is_same
            if isinstance(operator, (cst.NotEqual, cst.IsNot)):
                return not is_same
    raise _Unclear()


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if node.lpar or not isinstance(node, cst.BooleanOperation):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _expression(test: Folded) -> cst.BaseExpression:
    if isinstance(test, bool):
        return cst.Name(str(test))
    simple = (cst.Name, cst.Attribute, cst.Comparison, cst.Call)
    # `while (not coord.should_stop() and step < n):` needs its parentheses no more.
    if len(test.lpar) == 1 and isinstance(test, simple) and "\n" not in cst.Module([]).code_for_node(test):
        return test.with_changes(lpar=[], rpar=[])
    return test


def _loop(loop: cst.While, test: Folded, changes: Changes) -> bool:
    if test is False:
        return False
    if test is True and loop.orelse is not None:
        return False
    changes.change(loop, lambda node: node.with_changes(
        test=_expression(test), whitespace_after_while=_space(node.whitespace_after_while)
    ))
    return True


def _space(space: Any) -> Any:
    return space if not space.empty else cst.SimpleWhitespace(" ")


def _if(file: ControlFile, statement: cst.If, test: Folded, changes: Changes) -> bool:
    above = file.source.parents[statement]
    is_elif = isinstance(above, cst.If) and above.orelse is statement
    if not isinstance(test, bool):
        changes.change(statement, lambda node: node.with_changes(
            test=_expression(test), whitespace_before_test=_space(node.whitespace_before_test)
        ))
    elif test and not is_elif:
        changes.unwrap(statement)
    elif test:
        changes.change(above, lambda node: node.with_changes(orelse=cst.Else(body=node.orelse.body)))
    elif is_elif:
        changes.change(above, lambda node: node.with_changes(orelse=node.orelse.orelse))
    elif statement.orelse is None:
        changes.remove(statement)
    elif isinstance(statement.orelse, cst.If):
        changes.change(statement, _without_first_branch)
    else:
        changes.change(statement, lambda node: node.with_changes(body=node.orelse.body, orelse=None))
        changes.unwrap(statement)
    return True


def _without_first_branch(node: cst.If) -> cst.If:
    following = node.orelse
    assert isinstance(following, cst.If)
    return following.with_changes(leading_lines=node.leading_lines)


class _Asked(Visitor):
    def __init__(self, asked: List[cst.Call]) -> None:
        super().__init__()
        self.asked = asked
        self.found = False

    def visit_Call(self, node: cst.Call) -> None:
        self.found = self.found or node in self.asked


def asks_in_loop(loop: cst.While, uses: CoordinatorUses, file: ControlFile) -> bool:
    """Returns whether a loop ends when the coordinator stops: `not coord.should_stop()` is a part of its condition."""
    return any(_condition_of(file, call) is loop for call in uses.asked)
