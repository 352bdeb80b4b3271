"""The edits of one file: statements and expressions that are replaced, removed and inserted, applied together."""
from typing import Any, Callable, Dict, List, Sequence, Set, Union

import libcst as cst

from legacy_towers.migrate.source.rewrite.region import is_only_scope
from legacy_towers.migrate.source.rewrite.syntax import Source

# A FlattenSentinel stands for several nodes.
New = Union[cst.CSTNode, "cst.FlattenSentinel[Any]", Callable[[Any], cst.CSTNode]]
Statements = Callable[[], Sequence[Any]]


class Edits:
    """The edits of one file.

    Args:
      source: the file.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._new: Dict[Any, New] = {}
        self._removed: Dict[Any, bool] = {}
        self._before: Dict[Any, List[Statements]] = {}
        self._unwrapped: Dict[Any, bool] = {}
        self._datasets: Dict[Any, int] = {}
        # The nodes that are edited and those around them: what is in others needs no visit.
        self._touched: Set[Any] = set()

    def __bool__(self) -> bool:
        return bool(self._new or self._removed or self._before or self._unwrapped)

    def is_changed(self, node: cst.CSTNode) -> bool:
        """Returns whether `node` itself is replaced, removed or unwrapped."""
        return node in self._new or node in self._removed or node in self._unwrapped

    def count_dataset(self, function: Any) -> int:
        """Returns the number of one more dataset that is written in a function, from 1; None is the module."""
        self._datasets[function] = self._datasets.get(function, 0) + 1
        return self._datasets[function]

    def is_removed(self, statement: cst.CSTNode) -> bool:
        """Returns whether a statement is removed."""
        return statement in self._removed

    def replace(self, node: cst.CSTNode, new: New) -> None:
        """Replaces a node by another, or by what a function makes of the node in which the inner edits are done."""
        self._new[node] = new
        self._touch(node)

    def remove(self, statement: cst.CSTNode, with_comments: bool = False) -> None:
        """Removes a statement; the comments above it stay, before the next statement, unless they go with it."""
        self._removed[statement] = with_comments
        self._touch(statement)

    def insert_before(self, statement: cst.CSTNode, make: Statements) -> None:
        """Inserts what `make` returns before a statement, and before what was inserted there later."""
        self._before.setdefault(statement, []).append(make)
        self._touch(statement)

    def unwrap(self, statement: cst.CSTNode) -> None:
        """Puts the body of a compound statement in its place."""
        self._unwrapped[statement] = True
        self._touch(statement)

    def _touch(self, node: Any) -> None:
        while node is not None and node not in self._touched:
            self._touched.add(node)
            node = self.source.parents.get(node)

    def moved(self, statement: Any) -> Any:
        """Returns a statement, which is removed where it is, with the edits inside it done, as one of a block."""
        if isinstance(statement, cst.BaseSmallStatement):
            line = self.source.line_of(statement)
            lines = line.leading_lines if isinstance(line, cst.SimpleStatementLine) else ()
            is_first, is_last = line.body[0] is statement, line.body[-1] is statement
            return cst.SimpleStatementLine(
                [self.done(statement).with_changes(semicolon=cst.MaybeSentinel.DEFAULT)],
                leading_lines=_without_spaces(self._comments_of_scopes(line) + list(lines)) if is_first else [],
                trailing_whitespace=line.trailing_whitespace if is_last else cst.TrailingWhitespace(),
            )
        done = self.done(statement)
        return _led_by(done, _without_spaces(self._comments_of_scopes(statement) + list(done.leading_lines)))

    def _comments_of_scopes(self, line: Any) -> List[cst.EmptyLine]:
        """Returns the lines above the `with` statements of scopes that begin with a line, if they are removed whole."""
        found: List[cst.EmptyLine] = []
        block = self.source.parents.get(line)
        while isinstance(block, cst.IndentedBlock) and block.body[0] is line:
            line = self.source.parents[block]
            if not self.is_moved(line):
                break
            found = list(line.leading_lines) + found
            block = self.source.parents.get(line)
        return found

    def is_moved(self, node: Any) -> bool:
        """Returns whether a statement is removed with the comments above it, or is a scope of such statements."""
        if isinstance(node, cst.SimpleStatementLine):
            return all(self._removed.get(each, False) for each in node.body)
        if is_only_scope(node) and isinstance(node.body, cst.IndentedBlock):
            return all(self.is_moved(each) for each in node.body.body)
        return self._removed.get(node, False)

    def done(self, node: Any) -> Any:
        """Returns a node with the edits inside it done."""
        return node.visit(_Editor(self, node))

    def text(self) -> str:
        """Returns the text of the file with all edits done."""
        return str(self.done(self.source.module).code)


class _Editor(cst.CSTTransformer):
    """Applies the edits below a node.

    Args:
      edits: the edits.
      root: the node, whose own removal does not count.
    """

    def __init__(self, edits: Edits, root: cst.CSTNode) -> None:
        super().__init__()
        self._edits = edits
        self._root = root
        self._results: Dict[Any, Any] = {}
        # Blocks of which nothing is left.
        self._emptied: List[Any] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        # What is removed is not visited: moved statements are made by `moved`.
        return node is self._root or node in self._edits._touched and node not in self._edits._removed

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        edits = self._edits
        if original_node in edits._new and not (original_node in edits._removed and original_node is not self._root):
            new = edits._new[original_node]
            updated_node = new(updated_node) if callable(new) else new
        if isinstance(original_node, (cst.IndentedBlock, cst.Module)):
            return self._block(original_node, updated_node)
        if isinstance(original_node, cst.SimpleStatementSuite):
            return self._suite(original_node, updated_node)
        if isinstance(original_node, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            self._results[original_node] = updated_node
        return updated_node

    def _block(self, original: Any, updated: Any) -> Any:
        body: List[Any] = []
        waiting: List[cst.EmptyLine] = []
        for line, new in zip(original.body, updated.body):
            body += self._line(line, new, waiting)
        if waiting and isinstance(updated, cst.IndentedBlock):
            updated = updated.with_changes(footer=_comments(waiting) + list(updated.footer))
        if not body and isinstance(original, cst.IndentedBlock):
            self._emptied.append(original)
            body = [cst.SimpleStatementLine([cst.Pass()])]
        is_first = isinstance(original, cst.IndentedBlock) and not _begins_with_blank(original)
        is_first = is_first or isinstance(original, cst.Module) and not updated.header
        if body and is_first and original.body[:1] != body[:1]:
            body[0] = _led_by(body[0], _without_first_blanks(body[0].leading_lines))
        return updated.with_changes(body=body)

    def _line(self, line: Any, new: Any, waiting: List[cst.EmptyLine]) -> List[Any]:
        """Returns what stands in a block instead of a line; what `waiting` has is put above it."""
        edits = self._edits
        is_emptied = False
        if isinstance(line, cst.SimpleStatementLine):
            found = self._small_statements(line, list(line.body), new.trailing_whitespace)
        else:
            found = [each for make in edits._before.get(line, ()) for each in make()]
            if line in edits._unwrapped:
                found += _dedented(new.body)
            elif is_only_scope(line) and any(line.body is each for each in self._emptied):
                is_emptied = True
            elif line not in edits._removed:
                found.append(new.with_changes(leading_lines=()) if found else new)
        lines = list(line.leading_lines)
        first = line.body[0] if isinstance(line, cst.SimpleStatementLine) else line
        if edits._removed.get(first):
            lines = _largest_gap(lines)
        if is_emptied:
            lines = (_largest_gap(lines) if edits.is_moved(line) else lines) + _comments(new.body.footer)
        if not found:
            waiting[:] = _one_gap(waiting, lines)
            return []
        own = list(found[0].leading_lines) if found[0].leading_lines and found[0] is not new else []
        inserted = [each for each in own if each not in lines]
        above = _one_gap(waiting, lines)
        if isinstance(found[0], cst.FunctionDef) and found[0] is not new and len(found) > 1:
            # The comments are about what comes after the function.
            gap = list(found[1].leading_lines) or list(found[0].leading_lines)
            found[1] = _led_by(found[1], gap + _comments(above))
            above = _largest_gap(above)
        found[0] = _led_by(found[0], _one_gap(above, inserted))
        waiting.clear()
        if line in edits._unwrapped and isinstance(new.body, cst.IndentedBlock):
            waiting += [each for each in new.body.footer if each.comment]
        return found

    def _small_statements(self, line: Any, statements: List[Any], trailing: Any) -> List[Any]:
        """Returns the lines for the small statements of a line: one, unless something is inserted between them."""
        edits = self._edits
        found: List[Any] = []
        together: List[Any] = []
        for statement in statements:
            before = [each for make in edits._before.get(statement, ()) for each in make()]
            if before and together:
                found.append(cst.SimpleStatementLine(_joined(together)))
                together = []
            found += before
            if statement not in edits._removed:
                together.append(self._results.get(statement, statement))
        if together:
            is_whole = len(together) == len(statements)
            found.append(cst.SimpleStatementLine(
                together if is_whole else _joined(together), trailing_whitespace=trailing
            ))
        return found

    def _suite(self, original: Any, updated: Any) -> Any:
        edits = self._edits
        if not any(each in edits._before or each in edits._removed for each in original.body):
            return updated
        body = self._small_statements(original, list(original.body), updated.trailing_whitespace)
        return cst.IndentedBlock(body or [cst.SimpleStatementLine([cst.Pass()])])


def _comments(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    return [each for each in lines if each.comment]


def _dedented(body: Any) -> List[Any]:
    """Returns the statements of a block as they stand in the block around it."""
    if isinstance(body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body.body, trailing_whitespace=body.trailing_whitespace)]
    found = list(body.body)
    if body.header.comment is not None:
        found[0] = _led_by(found[0], [cst.EmptyLine(comment=body.header.comment)] + list(found[0].leading_lines))
    return found


def _joined(statements: List[Any]) -> List[Any]:
    return [each.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for each in statements]


def _led_by(statement: Any, lines: Sequence[cst.EmptyLine]) -> Any:
    return statement.with_changes(leading_lines=list(lines))


def _one_gap(above: List[cst.EmptyLine], below: List[cst.EmptyLine]) -> List[cst.EmptyLine]:
    """Returns the lines above a removed statement and below it: of their gaps the larger one is left."""
    found, rest = list(above), list(below)
    while found and rest and not found[-1].comment and not rest[0].comment:
        gap = [len(_gap(found[::-1])), len(_gap(rest))]
        if gap[0] >= gap[1]:
            rest = rest[gap[1]:]
        else:
            found = found[: -gap[0]]
    return found + rest


def _gap(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    found = []
    for line in lines:
        if line.comment:
            break
        found.append(line)
    return found


def _largest_gap(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    """Returns the blank lines that are left of lines whose comments are removed."""
    gaps: List[List[cst.EmptyLine]] = [[]]
    for line in lines:
        if line.comment:
            gaps.append([])
        else:
            gaps[-1].append(line)
    return max(gaps, key=len)


def _without_spaces(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    """Returns lines whose blank ones have no spaces where they are indented."""
    return [each if each.comment else each.with_changes(indent=False, whitespace=cst.SimpleWhitespace(""))
            for each in lines]


def _begins_with_blank(block: Any) -> bool:
    lines = list(block.body[0].leading_lines) if block.body else []
    return bool(lines) and lines[0].comment is None


def _without_first_blanks(lines: Sequence[cst.EmptyLine]) -> List[cst.EmptyLine]:
    found = list(lines)
    while found and not found[0].comment:
        found.pop(0)
    return found
