"""The statements that go and what becomes of the blocks around them: emptied blocks, comments."""
import re
from typing import Any, Callable, Dict, List, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.edits import Edits
from legacy_towers.migrate.source.rewrite.syntax import statements_of
from legacy_towers.migrate.source.rewrite.visiting import Visitor

# A comment with one of these words goes with the statements that it is about.
_ABOUT_QUEUES = re.compile(
    r"thread|queue|coord|runner|enqueu|\bjoin|\bstop|local.{0,20}(variable|init)|线程|队列|协调", re.IGNORECASE
)
# Context managers that do nothing where nothing is in them.
_WITHOUT_EFFECT = ("as_default", "name_scope", "device", "control_dependencies", "variable_scope")


class Changes:
    """The changes of one file, which are given to its edits when all are known.

    Args:
      edits: the edits of the file.
    """

    def __init__(self, edits: Edits) -> None:
        self.source = edits.source
        self._edits = edits
        self._removed: Set[Any] = set()
        self._handlers: Set[cst.ExceptHandler] = set()
        self._unwrapped: Set[Any] = set()
        self._changes: Dict[Any, List[Callable[[Any], Any]]] = {}

    def __bool__(self) -> bool:
        return bool(self._removed or self._handlers or self._unwrapped or self._changes)

    def update(self, other: "Changes") -> None:
        """Adds the changes of `other`, of the same file."""
        self._removed |= other._removed
        self._handlers |= other._handlers
        self._unwrapped |= other._unwrapped
        for node, changes in other._changes.items():
            self._changes.setdefault(node, []).extend(changes)

    def remove(self, statement: Any) -> None:
        """Removes a statement, and the blocks around it that are then empty."""
        self._removed.add(statement)

    def keep(self, statement: Any) -> None:
        """Takes back that a statement is removed."""
        self._removed.discard(statement)

    def is_changed(self, node: cst.CSTNode) -> bool:
        return node in self._changes

    def remove_handler(self, handler: cst.ExceptHandler) -> None:
        """Removes an `except` of a `try`."""
        self._handlers.add(handler)

    def unwrap(self, statement: Any) -> None:
        """Puts the body of a compound statement in its place."""
        self._unwrapped.add(statement)

    def change(self, node: cst.CSTNode, change: Callable[[Any], Any]) -> None:
        """Replaces a node by what `change` makes of it after the changes inside it."""
        self._changes.setdefault(node, []).append(change)

    def replace(self, node: cst.CSTNode, new: cst.CSTNode) -> None:
        """Replaces a node."""
        self.change(node, lambda _: new)

    def is_removed(self, statement: Any) -> bool:
        return statement in self._removed

    def give(self) -> None:
        """Gives all changes to the edits of the file."""
        finder = _Compounds()
        finder.visit(self.source.module)
        # Inner statements come first.
        for statement in finder.found:
            self._settle(statement)
        for node, changes in self._changes.items():
            self._edits.replace(node, _in_turn(changes))
        for statement in self._in_order(self._removed):
            self._edits.remove(statement, with_comments=self._takes_comments(statement))
        for statement in self._in_order(self._unwrapped - self._removed):
            self._edits.unwrap(statement)

    def _in_order(self, statements: Set[Any]) -> List[Any]:
        """Returns statements in the order of the file."""
        starts = {each: self.source.positions[each].start for each in statements}
        return sorted(statements, key=lambda each: (starts[each].line, starts[each].column))

    # Emptied blocks

    def _is_emptied(self, block: Any) -> bool:
        statements = statements_of(block)
        return bool(statements) and all(
            each in self._removed or each in self._unwrapped and self._is_emptied(each.body) for each in statements
        )

    def _settle(self, statement: Any) -> None:
        if statement in self._removed:
            return
        if isinstance(statement, cst.Try):
            self._settle_try(statement)
        elif isinstance(statement, cst.If):
            self._settle_if(statement)
        elif isinstance(statement, (cst.For, cst.While)):
            self._settle_else(statement)
            goes = isinstance(statement, cst.For) and statement.orelse is None and not has_call(statement.iter)
            if goes and self._is_emptied(statement.body):
                self.remove(statement)
        elif isinstance(statement, cst.With) and self._is_emptied(statement.body):
            if all(_is_without_effect(item.item) for item in statement.items):
                self.remove(statement)

    def _settle_else(self, statement: Any) -> None:
        if isinstance(statement.orelse, cst.Else) and self._is_emptied(statement.orelse.body):
            self.change(statement, lambda node: node.with_changes(orelse=None))

    def _settle_try(self, statement: cst.Try) -> None:
        finalbody = statement.finalbody
        is_ended = finalbody is None or self._is_emptied(finalbody.body)
        if self._is_emptied(statement.body) and is_ended and statement.orelse is None:
            self.remove(statement)
            return
        if is_ended and set(statement.handlers) <= self._handlers and statement.orelse is None:
            self._handlers -= set(statement.handlers)
            self.unwrap(statement)
            return
        self._settle_else(statement)
        gone = [number for number, each in enumerate(statement.handlers) if each in self._handlers]
        if gone or is_ended and finalbody is not None:
            self.change(statement, lambda node: node.with_changes(
                handlers=[each for number, each in enumerate(node.handlers) if number not in gone],
                finalbody=None if is_ended else node.finalbody,
            ))

    def _settle_if(self, statement: cst.If) -> None:
        self._settle_else(statement)
        orelse = statement.orelse
        is_last = orelse is None or isinstance(orelse, cst.Else) and self._is_emptied(orelse.body)
        if not (self._is_emptied(statement.body) and is_last) or has_call(statement.test):
            return
        above = self.source.parents[statement]
        if isinstance(above, cst.If) and above.orelse is statement:
            self.change(above, lambda node: node.with_changes(orelse=None))
        else:
            self.remove(statement)

    # Comments

    def _takes_comments(self, statement: Any) -> bool:
        """Returns whether the comment above a statement goes with it: it stands directly above, and is about queues."""
        lines = list(getattr(self.source.line_of(statement), "leading_lines", ()))
        while lines and lines[0].comment is None:
            lines.pop(0)
        comments = [each.comment for each in lines]
        return None not in comments and any(is_about_queues(each) for each in comments)


def is_about_queues(comment: cst.Comment) -> bool:
    """Returns whether a comment is about threads, queues or the initialization of local variables."""
    return _ABOUT_QUEUES.search(comment.value) is not None


def has_call(node: cst.CSTNode) -> bool:
    """Returns whether an expression has a call: whether evaluating it may do something."""
    finder = _Calls()
    finder.visit(node)
    return finder.found


def _is_without_effect(item: cst.BaseExpression) -> bool:
    if not isinstance(item, cst.Call):
        return False
    return isinstance(item.func, cst.Attribute) and item.func.attr.value in _WITHOUT_EFFECT


def _in_turn(changes: List[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def changed(node: Any) -> Any:
        for change in changes:
            node = change(node)
        return node

    return changed


class _Calls(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Call(self, node: cst.Call) -> bool:
        self.found = True
        return False

    def visit_Await(self, node: cst.Await) -> bool:
        self.found = True
        return False


class _Compounds(Visitor):
    """Finds the compound statements, inner ones first."""

    def __init__(self) -> None:
        super().__init__()
        self.found: List[Any] = []

    def visit(self, node: Any) -> None:
        super().visit(node)
        if isinstance(node, cst.BaseCompoundStatement):
            self.found.append(node)
