"""Rewrites the names that Python 2 had to functions of `runtime`, in the syntax tree of a file.

    for i in xrange(9): ...             for i in __python2__.xrange(9): ...
    pairs.iteritems()                   __python2__.attribute(pairs, "iteritems", "")()
    string.letters                      __python2__.attribute(string, "letters", "string")
    import Queue                        try: import Queue
                                        except ImportError: import queue as Queue

Not rewritten are names that the file itself binds, and code that supports both Pythons: a `try` that handles missing
names, and an `if` that checks the version of Python.
"""
import ast
from typing import Any, Callable, FrozenSet, List, Optional, Set

from legacy_towers.run.python2 import names
from legacy_towers.run.python2.constructs import RUNTIME_NAME, ConstructRewriter
from legacy_towers.run.python2.nodes import at, constant, dotted
from legacy_towers.run.python2.scopes import (
    bound_at_module_level,
    bound_below,
    checks_python_version,
    handles_missing_names,
    is_importable,
    module_aliases,
)
from legacy_towers.run.rewriting import import_statements

RUNTIME = "legacy_towers.run.python2.runtime"

Report = Callable[[str, str, int], None]


class Python2Rewriter(ConstructRewriter):
    """Rewrites the names and, in a file that is Python 2, the constructs of Python 2.

    Args:
      tree: the syntax tree of the file.
      is_python_2: whether the file is Python 2; if not, only names that Python 3 lacks are rewritten.
      true_division: whether `/` is true division.
      report: called with name, replacement and line of each rewritten name; not for a file that is Python 2.
      siblings: the modules of the same package, which `import name` finds in Python 2.
    """

    def __init__(
        self,
        tree: ast.Module,
        is_python_2: bool,
        true_division: bool,
        report: Report,
        siblings: FrozenSet[str] = frozenset(),
    ) -> None:
        super().__init__(is_python_2, true_division)
        self._report = report
        self._siblings = siblings
        # The names that each enclosing scope binds, the module's first.
        self._scopes = [bound_at_module_level(tree)]
        self._aliases = module_aliases(tree)
        self._builtins = names.BUILTINS | (names.CHANGED_BUILTINS if is_python_2 else frozenset())
        self._modules = dict(names.MODULES, **(names.CHANGED_MODULES if is_python_2 else {}))
        self._methods = names.METHODS | (names.CHANGED_METHODS if is_python_2 else frozenset())
        # The number of enclosing statements that support both Pythons.
        self._guarded = 0
        self._reported: Set[str] = set()

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """Returns the rewritten `tree`."""
        tree = self.visit(tree)
        if self._uses_runtime:
            import_statements.add_import(tree, RUNTIME, RUNTIME_NAME)
        return tree

    # Code that supports both Pythons.

    def visit_Try(self, node: Any) -> Any:
        is_guard = handles_missing_names(node)
        self._guarded += is_guard
        node.body = self._statements(node.body)
        node.handlers = [self.visit(handler) for handler in node.handlers]
        node.orelse = self._statements(node.orelse)
        self._guarded -= is_guard
        node.finalbody = self._statements(node.finalbody)
        return node

    def visit_If(self, node: ast.If) -> Any:
        is_guard = checks_python_version(node.test)
        node.test = self.visit(node.test)
        self._guarded += is_guard
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        self._guarded -= is_guard
        return node

    def _statements(self, statements: List[ast.stmt]) -> List[ast.stmt]:
        found: List[ast.stmt] = []
        for statement in statements:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return found

    def _visit_scope(self, node: Any) -> Any:
        self._scopes.append(bound_below(node))
        self.generic_visit(node)
        self._scopes.pop()
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_scope
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_scope

    # Imports.

    def visit_Import(self, node: ast.Import) -> Any:
        statements: List[ast.stmt] = []
        for alias in node.names:
            new = self._module(alias.name, node.lineno)
            if alias.name.split(".")[0] in self._siblings and self._is_sibling(alias.name):
                statements += self._from_package(alias)
            elif new is not None and (alias.asname or "." not in alias.name):
                replacement = ast.Import(names=[ast.alias(name=new, asname=alias.asname or alias.name)])
                statements.append(_own_or_replacement(alias.name, ast.Import(names=[alias]), replacement))
            else:
                statements.append(ast.Import(names=[alias]))
        return [at(statement, node) for statement in statements]

    def _from_package(self, alias: ast.alias) -> List[ast.stmt]:
        """Returns the statements for `import name` or `import name.below`, where the package has a module `name`."""
        top, _, below = alias.name.partition(".")
        if not below or alias.asname is None:
            statements: List[ast.stmt] = []
            if below:  # importing the submodule makes it an attribute
                parent, _, last = alias.name.rpartition(".")
                statements.append(ast.ImportFrom(parent, [ast.alias(name=last, asname=top)], 1))
            return statements + [ast.ImportFrom(None, [ast.alias(name=top, asname=alias.asname)], 1)]
        parent, _, last = alias.name.rpartition(".")
        return [ast.ImportFrom(parent, [ast.alias(name=last, asname=alias.asname)], 1)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.level or not node.module or node.module == "__future__":
            return node
        if node.module.split(".")[0] in self._siblings and self._is_sibling(node.module):
            node.level = 1
            return node
        new = self._module(node.module, node.lineno)
        if new is not None:
            return at(_own_or_replacement(node.module, node, ast.ImportFrom(new, node.names, 0)), node)
        old = [alias for alias in node.names if self._is_old(node.module, alias.name)]
        if not old or self._guarded:
            return node
        rest = [alias for alias in node.names if alias not in old]
        statements: List[ast.stmt] = [ast.ImportFrom(node.module, rest, 0)] if rest else []
        for alias in old:
            value = self._call("from_module", constant(node.module), constant(alias.name))
            statements.append(ast.Assign([ast.Name(alias.asname or alias.name, ast.Store())], value))
        return [at(statement, node) for statement in statements]

    def _module(self, name: str, line: int) -> Optional[str]:
        """Returns the module that replaces the module `name`, None if it is not replaced."""
        new = self._modules.get(name)
        if new is None or new == name or self._guarded:
            return None
        if name not in names.CHANGED_MODULES:
            if is_importable(name):
                return None
            self._report_once(name, new, line)
        return new

    def _is_sibling(self, name: str) -> bool:
        return self._is_python_2 or not is_importable(name.split(".")[0])

    def _is_old(self, module: str, name: str) -> bool:
        return (module, name) in names.ATTRIBUTES or self._is_python_2 and (module, name) in names.CHANGED_ATTRIBUTES

    # Names and attributes.

    def visit_Name(self, node: ast.Name) -> Any:
        if not isinstance(node.ctx, ast.Load) or node.id not in self._builtins or self._guarded:
            return node
        if any(node.id in scope for scope in self._scopes):
            return node
        self._report_once(node.id, "", node.lineno)
        return at(ast.Attribute(self._runtime(), node.id, ast.Load()), node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        module = self._aliases.get(dotted(node.value) or "")
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or self._guarded:
            return node
        if module is None and node.attr not in self._methods:
            return node
        if module is not None and not self._is_old(module, node.attr):
            return node
        return at(self._call("attribute", node.value, constant(node.attr), constant(module or "")), node)

    def _report_once(self, name: str, replacement: str, line: int) -> None:
        if not self._is_python_2 and name not in self._reported:
            self._reported.add(name)
            self._report(name, replacement, line)


def _own_or_replacement(module: str, own: ast.stmt, replacement: ast.stmt) -> ast.stmt:
    """Returns an import of the script's own module of that name, if it has one at run time, else `replacement`.

    Whether it has one is decided at run time, since scripts extend sys.path.
    """
    if module in names.CHANGED_MODULES:
        return replacement
    handler = ast.ExceptHandler(type=ast.Name("ImportError", ast.Load()), name=None, body=[replacement])
    return ast.Try(body=[own], handlers=[handler], orelse=[], finalbody=[])
