"""Sends the names of Python 2 in a module, in its syntax tree, to `runtime`.

    for i in xrange(9): ...             for i in __old__.xrange(9): ...
    pairs.iteritems()                   __old__.attribute(pairs, "iteritems", "")()
    string.letters                      __old__.attribute(string, "letters", "string")
    import Queue                        try: import Queue
                                        except ImportError: import queue as Queue

and, where a whole module is Python 2,

    n / 2                               __old__.div(n, 2)
    d.keys()                            __old__.listed(d.keys())

Names that the module makes itself stay, and so does what stands in a `try` that goes on without it, or under an `if`
that asks for the version of Python: that code knows already.
"""
import ast
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set

from legacy_towers.oldtf.launch.python2 import names
from legacy_towers.oldtf.launch.python2.nodes import First, at, constant, dotted, has_keyword, is_float, is_text, key_of
from legacy_towers.oldtf.launch.python2.scopes import (
    asks_for_the_version,
    bound_at_module_level,
    bound_below,
    goes_on,
    is_there,
    module_aliases,
)

RUNTIME = "legacy_towers.oldtf.launch.python2.runtime"
# What the runtime is called in a rewritten module.
_BOUND = "__old__"

Tell = Callable[[str, str, int], None]


class OldNames(ast.NodeTransformer):
    """Rewrites what a module says in Python 2.

    Args:
      tree: of the module.
      whole: whether it is Python 2 as a whole.
      true_division: whether `/` is as in Python 3.
      tell: called with name, meaning and line of what is Python 2's alone; not where the whole module is.
      siblings: the modules beside it in its package that `import name` means in Python 2.
    """

    def __init__(
        self, tree: ast.Module, whole: bool, true_division: bool, tell: Tell, siblings: FrozenSet[str] = frozenset()
    ) -> None:
        self._whole = whole
        self._divides = whole and not true_division
        self._tell = tell
        self._siblings = siblings
        # The names that each scope binds which the visited node lies in, the module's first.
        self._scopes = [bound_at_module_level(tree)]
        self._aliases = module_aliases(tree)
        self._builtins = names.BUILTINS | (names.CHANGED_BUILTINS if whole else frozenset())
        self._modules = dict(names.MODULES, **(names.CHANGED_MODULES if whole else {}))
        self._methods = names.METHODS | (names.CHANGED_METHODS if whole else frozenset())
        self._guarded = 0
        self._told: Set[str] = set()
        self._used = False

    def rewrite(self, tree: ast.Module) -> ast.Module:
        tree = self.visit(tree)
        if self._used:
            place = 0
            for number, statement in enumerate(tree.body):
                is_docstring = number == 0 and isinstance(statement, ast.Expr) and is_text(statement.value)
                if is_docstring or isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                    place = number + 1
            statement = ast.Import(names=[ast.alias(name=RUNTIME, asname=_BOUND)])
            tree.body.insert(place, at(statement, First()))
        return tree

    # What code that knows already looks like.

    def visit_Try(self, node: Any) -> Any:
        self._guarded += goes_on(node)
        node.body = self._statements(node.body)
        self._guarded -= goes_on(node)
        handlers_know = goes_on(node)
        self._guarded += handlers_know
        node.handlers = [self.visit(handler) for handler in node.handlers]
        node.orelse = self._statements(node.orelse)
        self._guarded -= handlers_know
        node.finalbody = self._statements(node.finalbody)
        return node

    def visit_If(self, node: ast.If) -> Any:
        asks = asks_for_the_version(node.test)
        node.test = self.visit(node.test)
        self._guarded += asks
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        self._guarded -= asks
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
                instead = ast.Import(names=[ast.alias(name=new, asname=alias.asname or alias.name)])
                statements.append(_or_own(alias.name, ast.Import(names=[alias]), instead))
            else:
                statements.append(ast.Import(names=[alias]))
        return [at(statement, node) for statement in statements]

    def _from_package(self, alias: ast.alias) -> List[ast.stmt]:
        """`import name.below`, in a package whose own module `name` is."""
        top, _, below = alias.name.partition(".")
        if not below or alias.asname is None:
            statements: List[ast.stmt] = []
            if below:  # for its effect: it becomes an attribute
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
            return at(_or_own(node.module, node, ast.ImportFrom(new, node.names, 0)), node)
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
        """Returns what is imported in place of the old module `name`, None where it is itself."""
        new = self._modules.get(name)
        if new is None or new == name or self._guarded:
            return None
        if name not in names.CHANGED_MODULES:
            if is_there(name):
                return None
            self._say(name, new, line)
        return new

    def _is_sibling(self, name: str) -> bool:
        return self._whole or not is_there(name.split(".")[0])

    def _is_old(self, module: str, name: str) -> bool:
        return (module, name) in names.ATTRIBUTES or self._whole and (module, name) in names.CHANGED_ATTRIBUTES

    # Names and attributes.

    def visit_Name(self, node: ast.Name) -> Any:
        if not isinstance(node.ctx, ast.Load) or node.id not in self._builtins or self._guarded:
            return node
        if any(node.id in scope for scope in self._scopes):
            return node
        self._say(node.id, "", node.lineno)
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

    # Only where a whole module is Python 2.

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if not self._divides or not isinstance(node.op, ast.Div) or is_float(node.left) or is_float(node.right):
            return node
        return at(self._call("div", node.left, node.right), node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        kind = type(node.ops[0]).__name__
        if not self._whole or len(node.ops) > 1 or kind not in ("Lt", "LtE", "Gt", "GtE"):
            return node
        return at(self._call("compared", constant(kind), node.left, node.comparators[0]), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not self._divides or not isinstance(node.op, ast.Div):
            return node
        target = node.target
        if isinstance(target, ast.Name):
            value = self._call("divide_in_place", ast.Name(target.id, ast.Load()), node.value)
            return at(ast.Assign([target], value), node)
        if isinstance(target, ast.Attribute):
            call = self._call("divide_attribute", target.value, constant(target.attr), node.value)
        else:
            call = self._call("divide_item", target.value, key_of(target.slice), node.value)
        return at(ast.Expr(call), node)

    def visit_Call(self, node: ast.Call) -> Any:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        self.generic_visit(node)
        if not self._whole or not isinstance(node.func, ast.Attribute):
            return node
        if name in ("keys", "values", "items") and not node.args and not node.keywords:
            return at(self._call("listed", node), node)
        if name in ("decode", "encode") or name == "sort" and (node.args or has_keyword(node, "cmp")):
            call = self._call(name, node.func.value, *node.args)
            call.keywords = node.keywords
            return at(call, node)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        self.generic_visit(node)
        error = node.exc
        if not self._whole or not isinstance(error, ast.Call) or not isinstance(error.func, ast.Attribute):
            return node
        made = error.func.value
        if error.func.attr == "with_traceback" and isinstance(made, ast.Call) and len(made.args) <= 1:
            value = made.args[0] if made.args else constant(None)
            node.exc = at(self._call("raised", made.func, value, error.args[0]), node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.generic_visit(node)
        if not self._whole:
            return node
        own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        for old, new in _SPECIAL_METHODS.items():
            if old in own and new not in own and (old != "next" or "__iter__" in own):
                alias = ast.Assign([ast.Name(new, ast.Store())], ast.Name(old, ast.Load()))
                node.body.append(at(alias, node.body[-1]))
        for part in list(node.body):
            if isinstance(part, ast.Assign) and dotted(part.targets[0]) == "__metaclass__" and len(node.body) > 1:
                node.keywords.append(at(ast.keyword("metaclass", part.value), part))
                node.body.remove(part)
        return node

    # Building blocks.

    def _runtime(self) -> ast.expr:
        self._used = True
        return ast.Name(_BOUND, ast.Load())

    def _call(self, function: str, *arguments: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(self._runtime(), function, ast.Load()), list(arguments), [])

    def _say(self, name: str, meaning: str, line: int) -> None:
        if not self._whole and name not in self._told:
            self._told.add(name)
            self._tell(name, meaning, line)


def _or_own(module: str, own: ast.stmt, instead: ast.stmt) -> ast.stmt:
    """Returns the import of a module of the user's that is called as one of Python 2, where there is one by then.

    A script adds to sys.path as it goes.
    """
    if module in names.CHANGED_MODULES:
        return instead
    handler = ast.ExceptHandler(type=ast.Name("ImportError", ast.Load()), name=None, body=[instead])
    return ast.Try(body=[own], handlers=[handler], orelse=[], finalbody=[])


_SPECIAL_METHODS: Dict[str, str] = {
    "next": "__next__",
    "__nonzero__": "__bool__",
    "__div__": "__truediv__",
    "__rdiv__": "__rtruediv__",
    "__idiv__": "__itruediv__",
    "__unicode__": "__str__",
}
