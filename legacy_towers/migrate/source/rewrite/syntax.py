"""One file as a libcst tree: the node of a call that was found, the statement around a node, the code of a node."""
import ast
from typing import Any, Dict, List, Optional, Sequence, Tuple

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from legacy_towers.migrate.source.rewrite.visiting import Visitor
from legacy_towers.migrate.source.values import Site

Key = Tuple[int, int, int]
# Code in these runs several times, or later.
LOOPS = (cst.For, cst.While, cst.ListComp, cst.GeneratorExp, cst.DictComp, cst.SetComp, cst.Lambda)


class Source:
    """A file's libcst tree.

    Args:
      path: its path.
      content: its bytes.
      own: the lines of the file itself, if `content` has other indentations than the file whose calls are looked for.

    Attributes:
      path: its path.
      module: the tree.
      positions: node -> its range of lines (from 1) and columns (from 0).
      parents: node of code -> the node around it.

    Raises:
      libcst.ParserSyntaxError: it can't be parsed as Python 3.
    """

    def __init__(self, path: str, content: bytes, own: Optional[Sequence[str]] = None) -> None:
        wrapper = _Wrapper(cst.parse_module(content), unsafe_skip_copy=True)
        self.path = path
        self.module = wrapper.module
        self.positions: Any = wrapper.resolve(PositionProvider)
        self._lines = content.decode(self.module.encoding, "replace").splitlines()
        # Line -> by how many characters it is indented less in the file itself.
        self._less: Dict[int, int] = {}
        if own is not None:
            self._less = {number: len(line) - len(mine) for number, (line, mine) in enumerate(zip(self._lines, own), 1)}
            self._lines = list(own)
        collector = _Calls(self)
        collector.visit(self.module)
        self.parents = collector.parents
        self._calls = collector.found
        self.functions = collector.functions
        self.names = collector.names

    def call(self, site: Site) -> Optional[cst.Call]:
        """Returns the call of `site`, None if it is not a call in the source, as for a class derived from a queue."""
        return self.call_of(site.node) if isinstance(site.node, ast.Call) else None

    def call_of(self, node: ast.AST) -> Optional[cst.Call]:
        """Returns the libcst node of a call in the ast tree of the same file."""
        line, column = int(getattr(node, "lineno", 0)), int(getattr(node, "col_offset", 0))
        return self._calls.get((line, self._characters(line, column), _ast_depth(node)))

    def calls(self) -> List[cst.Call]:
        """Returns all calls in the file, in order."""
        return list(self._calls.values())

    def key(self, call: cst.Call) -> Tuple[int, int]:
        """Returns (line, column from 0 in bytes) of a call, as ast has them."""
        start = self.positions[call].start
        text = self._lines[start.line - 1] if start.line <= len(self._lines) else ""
        return start.line, len(text[: start.column - self._less.get(start.line, 0)].encode("utf-8"))

    def line(self, node: cst.CSTNode) -> int:
        return int(self.positions[node].start.line)

    def code(self, node: cst.CSTNode) -> str:
        """Returns the text of a node."""
        return self.module.code_for_node(node)

    def parse(self, text: str) -> List[Any]:
        """Returns the statements of `text`, in the indentation of the file."""
        return list(cst.parse_module(text, config=self.module.config_for_parsing).body)

    def statement(self, node: cst.CSTNode) -> Any:
        """Returns the small or compound statement around `node`, or `node` if it is one."""
        while not isinstance(node, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            node = self.parents[node]
        return node

    def line_of(self, statement: cst.CSTNode) -> Any:
        """Returns what stands in a block: the line of a small statement, or the compound statement itself."""
        if isinstance(statement, cst.BaseSmallStatement):
            return self.parents[statement]
        return statement

    def between(self, node: cst.CSTNode, end: Any) -> List[Any]:
        """Returns the nodes around a node that are in `end`, the innermost first; all of them if `end` is not one."""
        found: List[Any] = []
        for each in self.above(node):
            if each is end:
                break
            found.append(each)
        return found

    def block(self, statement: cst.CSTNode) -> Any:
        """Returns the block (IndentedBlock, SimpleStatementSuite or Module) that a statement is in."""
        line = self.line_of(statement)
        return line if isinstance(line, cst.SimpleStatementSuite) else self.parents[line]

    def function(self, node: cst.CSTNode) -> Optional[cst.FunctionDef]:
        """Returns the function that `node` is in, None at the top level of the module or of a class."""
        for each in self.above(node):
            if isinstance(each, cst.FunctionDef):
                return each
        return None

    def above(self, node: cst.CSTNode) -> List[Any]:
        """Returns the nodes around `node`, the innermost first."""
        found = []
        above = self.parents.get(node)
        while above is not None:
            found.append(above)
            above = self.parents.get(above)
        return found

    def _characters(self, line: int, column: int) -> int:
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        characters = column if text.isascii() else len(text.encode("utf-8")[:column].decode("utf-8", "replace"))
        return characters + self._less.get(line, 0)


def statements_of(block: Any) -> List[Any]:
    """Returns the small and compound statements of a block, in order."""
    if isinstance(block, cst.SimpleStatementSuite):
        return list(block.body)
    found: List[Any] = []
    for line in block.body:
        found += line.body if isinstance(line, cst.SimpleStatementLine) else [line]
    return found


def arguments(call: cst.Call, names: Sequence[str]) -> Optional[Dict[str, cst.BaseExpression]]:
    """Returns parameter -> expression of a call; None if it passes *arguments, **keywords or unknown ones."""
    found: Dict[str, cst.BaseExpression] = {}
    for number, argument in enumerate(call.args):
        if argument.star:
            return None
        name = argument.keyword.value if argument.keyword is not None else names[number] if number < len(names) else ""
        if name not in names or name in found:
            return None
        found[name] = argument.value
    return found


class _Wrapper(MetadataWrapper):
    def visit_batched(self, *visitors: Any, **options: Any) -> cst.Module:
        # libcst visits the tree, and copies it, for the providers that share a visit: PositionProvider is none of them.
        return self.module


class _Calls(Visitor):
    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self.found: Dict[Key, cst.Call] = {}
        self.functions: List[cst.FunctionDef] = []
        self.names: List[str] = []
        # Found in the same visit: libcst's ParentNodeProvider would visit the file once more.
        self.parents: Dict[Any, Any] = {}
        self._around: List[cst.CSTNode] = []

    def visit(self, node: Any) -> None:
        if self._around:
            self.parents[node] = self._around[-1]
        self._around.append(node)
        super().visit(node)
        self._around.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.functions.append(node)

    def visit_Name(self, node: cst.Name) -> None:
        self.names.append(node.value)

    def visit_Call(self, node: cst.Call) -> None:
        start = self._source.positions[node].start
        self.found[(start.line, start.column, _depth(node))] = node


def _ast_depth(node: Any) -> int:
    """Returns how many calls begin where `node` begins and are in it: 2 for tf.TFRecordReader().read(queue)."""
    depth = 0
    while node is not None:
        depth += isinstance(node, ast.Call)
        node = node.func if isinstance(node, ast.Call) else getattr(node, "value", None) if isinstance(
            node, (ast.Attribute, ast.Subscript)
        ) else None
    return depth


def _depth(node: Any) -> int:
    depth = 0
    while node is not None:
        depth += isinstance(node, cst.Call)
        node = node.func if isinstance(node, cst.Call) else node.value if isinstance(
            node, (cst.Attribute, cst.Subscript)
        ) else None
    return depth
