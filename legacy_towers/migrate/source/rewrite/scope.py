"""A function or module in which code is written: what its names are bound to, and which names are free."""
from typing import Any, List, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.names import canonical_name
from legacy_towers.migrate.source.rewrite.names import assigned_pairs, dotted, names_of, parameters
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.visiting import Visitor

# Functions that return a list.
_LISTS = ("sorted", "list", "range", "xrange", "glob")
# The same, in a module.
_LISTS_OF_MODULES = ("glob.glob", "os.listdir", "gfile.Glob", "gfile.glob", "gfile.ListDirectory", "gfile.listdir",
                     "file_io.get_matching_files")


class Scope:
    """A function, or the top level of a module.

    Args:
      source: the file.
      function: the function, None for the top level.
    """

    def __init__(self, source: Source, function: Optional[cst.FunctionDef]) -> None:
        self.source = source
        self.function = function
        self._taken = set(source.names)

    def fresh(self, *names: str) -> str:
        """Returns a name that the file does not have: one of `names`, or the last one with a number."""
        number = 2
        wanted = list(names)
        while wanted[0] in self._taken:
            if len(wanted) > 1:
                wanted.pop(0)
            else:
                wanted[0] = "{}_{}".format(names[-1], number)
                number += 1
        self._taken.add(wanted[0])
        return wanted[0]

    def code(self, node: cst.CSTNode) -> str:
        """Returns the text of an expression."""
        return self.source.code(node).strip()

    def tensorflow(self) -> Optional[str]:
        """Returns what the file calls TensorFlow, None if it imports only parts of it."""
        found = None
        for statement in imports_of(self.source.module):
            for alias in () if isinstance(statement.names, cst.ImportStar) else statement.names:
                name = dotted(alias.name)
                if isinstance(statement, cst.ImportFrom):
                    module = dotted(statement.module) if statement.module is not None else ""
                    name = "{}.{}".format(module, name) if not statement.relative else ""
                bound = dotted(alias.asname.name) if alias.asname is not None else dotted(alias.name)
                if name and canonical_name(name) == "tf" and "." not in bound:
                    found = found or bound
        return found

    def assigned(self, name: str, with_added: bool = False) -> List[Any]:
        """Returns the values that `name` is assigned here, [] if it is bound in another way, too.

        Args:
          name: the name.
          with_added: whether `name += value` is no other way; its value is not returned.
        """
        found: List[Any] = []
        if self.function is not None and name in parameters(self.function):
            return []
        body = self.source.module if self.function is None else self.function.body
        collector = _Assigned(name, found, with_added)
        for part in body.body:
            collector.visit(part)
        if collector.is_bound_otherwise or found:
            return [] if collector.is_bound_otherwise else found
        return Scope(self.source, None).assigned(name, with_added) if self.function is not None else []

    def resolved(self, node: Any) -> Any:
        """Returns the expression that a name stands for, if it is assigned once; `node` itself otherwise."""
        for _ in range(8):
            values = self.assigned(node.value) if isinstance(node, cst.Name) else []
            if len(values) != 1:
                break
            node = values[0]
        return node

    def is_list(self, node: Any, within: Tuple[str, ...] = ()) -> bool:
        """Returns whether an expression is a list of Python for sure.

        Args:
          node: the expression.
          within: names that are lists if the expression, which is assigned to them, is one.
        """
        if isinstance(node, cst.Name):
            name = str(node.value)
            values = self.assigned(name, with_added=True)
            return name in within or bool(values) and all(self.is_list(each, within + (name,)) for each in values)
        if isinstance(node, (cst.List, cst.ListComp, cst.Tuple)):
            return True
        if isinstance(node, cst.IfExp):
            return self.is_list(node.body, within) and self.is_list(node.orelse, within)
        if isinstance(node, cst.Call):
            called = dotted(node.func)
            return called in _LISTS or any(
                called == each or called.endswith("." + each) for each in _LISTS_OF_MODULES
            )
        if isinstance(node, cst.BinaryOperation):
            # A list and a tensor are added to a tensor.
            sides = [self.is_list(each, within) for each in (node.left, node.right)]
            return all(sides) if isinstance(node.operator, cst.Add) else (
                isinstance(node.operator, cst.Multiply) and any(sides)
            )
        if isinstance(node, cst.Subscript):
            index = node.slice[0].slice
            return isinstance(index, cst.Slice) and self.is_list(node.value, within)
        return False

    def is_constant(self, node: Any) -> bool:
        """Returns whether an expression is a number, string or constant of Python, whatever its names stand for."""
        node = self.resolved(node)
        if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString)) or literal(node) is not None:
            return True
        if isinstance(node, cst.BinaryOperation):
            return self.is_constant(node.left) and self.is_constant(node.right)
        return isinstance(node, cst.Call) and dotted(node.func) in ("len", "int", "max", "min")


def literal(node: Any) -> Any:
    """Returns the value of a literal: "None", "True", "False" or the text of an integer; None of another expression."""
    if isinstance(node, cst.Name) and node.value in ("None", "True", "False"):
        return node.value
    return node.value if isinstance(node, cst.Integer) else None


def imports_of(module: cst.Module) -> List[Any]:
    """Returns the import statements of a file."""
    found: List[Any] = []

    class _Imports(Visitor):
        def visit_Import(self, node: cst.Import) -> None:
            found.append(node)

        def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
            found.append(node)

    _Imports().visit(module)
    return found


class _Assigned(Visitor):
    def __init__(self, name: str, found: List[Any], with_added: bool) -> None:
        super().__init__()
        self._name, self._found, self._with_added = name, found, with_added
        self.is_bound_otherwise = False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_Assign(self, node: cst.Assign) -> None:
        for target, value in assigned_pairs(node):
            if isinstance(target, cst.Name) and target.value == self._name:
                self._found.append(value)
            elif self._name in names_of(cst.AssignTarget(target)).bound:
                self.is_bound_otherwise = True

    def visit_For(self, node: cst.For) -> None:
        self._other(cst.AssignTarget(node.target))

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if not (self._with_added and isinstance(node.operator, cst.AddAssign)):
            self._other(node)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._other(node)

    def visit_With(self, node: cst.With) -> None:
        for item in node.items:
            self._other(item)

    def _other(self, node: Any) -> None:
        if self._name in names_of(node).bound:
            self.is_bound_otherwise = True
