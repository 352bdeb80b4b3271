"""Sends the names of Python 2 in a module, in its syntax tree, to `runtime`.

    for i in xrange(9): ...             for i in __old__.xrange(9): ...
    pairs.iteritems()                   __old__.attribute(pairs, "iteritems", "")()
    string.letters                      __old__.attribute(string, "letters", "string.letters")
    import Queue                        import queue as Queue

and, where a whole module is Python 2,

    n / 2                               __old__.div(n, 2)
    d.keys()                            __old__.listed(d.keys())

Names that the module makes itself stay, and so does what stands in a `try` that goes on without it, or under an `if`
that asks for the version of Python: that code knows already.
"""
import ast
import importlib.machinery
import importlib.util
import sys
from typing import Any, Callable, Dict, List, Optional, Set

from legacy_towers.oldtf.launch.python2 import names

RUNTIME = "legacy_towers.oldtf.launch.python2.runtime"
# What the runtime is called in a rewritten module.
_BOUND = "__old__"
_VERSION_WORDS = ("version_info", "version", "PY2", "PY3", "python_version", "hexversion")
_MISSING = {"ImportError", "ModuleNotFoundError", "NameError", "AttributeError"}
_EVERYTHING = {None, "Exception", "BaseException"}

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
        self, tree: ast.Module, whole: bool, true_division: bool, tell: Tell, siblings: Set[str] = frozenset()
    ) -> None:
        self._whole = whole
        self._divides = whole and not true_division
        self._tell = tell
        self._siblings = siblings
        # The names that each scope binds which the visited node lies in, the module's first.
        self._scopes = [_bound_at_module_level(tree)]
        self._aliases = _module_aliases(tree)
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
                is_docstring = number == 0 and isinstance(statement, ast.Expr) and _is_text(statement.value)
                if is_docstring or isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                    place = number + 1
            statement = ast.Import(names=[ast.alias(name=RUNTIME, asname=_BOUND)])
            tree.body.insert(place, _at(statement, _First()))
        return tree

    # What code that knows already looks like.

    def visit_Try(self, node: Any) -> Any:
        self._guarded += _goes_on(node)
        node.body = self._statements(node.body)
        self._guarded -= _goes_on(node)
        handlers_know = _goes_on(node)
        self._guarded += handlers_know
        node.handlers = [self.visit(handler) for handler in node.handlers]
        node.orelse = self._statements(node.orelse)
        self._guarded -= handlers_know
        node.finalbody = self._statements(node.finalbody)
        return node

    def visit_If(self, node: ast.If) -> Any:
        asks = any(
            (isinstance(part, ast.Name) and part.id in _VERSION_WORDS)
            or (isinstance(part, ast.Attribute) and part.attr in _VERSION_WORDS)
            for part in ast.walk(node.test)
        )
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
        self._scopes.append(_bound_below(node))
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
                statements.append(ast.Import(names=[ast.alias(name=new, asname=alias.asname or alias.name)]))
            else:
                statements.append(ast.Import(names=[alias]))
        return [_at(statement, node) for statement in statements]

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
            node.module = new
            return node
        old = [alias for alias in node.names if self._is_old(node.module, alias.name)]
        if not old or self._guarded:
            return node
        rest = [alias for alias in node.names if alias not in old]
        statements: List[ast.stmt] = [ast.ImportFrom(node.module, rest, 0)] if rest else []
        for alias in old:
            value = self._call("from_module", _constant(node.module), _constant(alias.name))
            statements.append(ast.Assign([ast.Name(alias.asname or alias.name, ast.Store())], value))
        return [_at(statement, node) for statement in statements]

    def _module(self, name: str, line: int) -> Optional[str]:
        """Returns what is imported in place of the old module `name`, None where it is itself."""
        new = self._modules.get(name)
        if new is None or new == name or self._guarded:
            return None
        if name not in names.CHANGED_MODULES:
            if name != "cPickle" and _is_there(name):  # the user may have a module of this name
                return None
            self._say(name, new, line)
        return new

    def _is_sibling(self, name: str) -> bool:
        return self._whole or not _is_there(name.split(".")[0])

    @staticmethod
    def _is_old(module: str, name: str) -> bool:
        return (module, name) in names.ATTRIBUTES

    # Names and attributes.

    def visit_Name(self, node: ast.Name) -> Any:
        if not isinstance(node.ctx, ast.Load) or node.id not in self._builtins or self._guarded:
            return node
        if any(node.id in scope for scope in self._scopes):
            return node
        self._say(node.id, "", node.lineno)
        return _at(ast.Attribute(self._runtime(), node.id, ast.Load()), node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        module = self._aliases.get(_dotted(node.value) or "")
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or self._guarded:
            return node
        spoken = ""
        if module is not None:
            if not self._is_old(module, node.attr):
                return node
            spoken = "{}.{}".format(_dotted(node.value) or module, node.attr)
        elif node.attr not in self._methods:
            return node
        return _at(self._call("attribute", node.value, _constant(node.attr), _constant(spoken)), node)

    # Only where a whole module is Python 2.

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if not self._divides or not isinstance(node.op, ast.Div) or _is_float(node.left) or _is_float(node.right):
            return node
        return _at(self._call("div", node.left, node.right), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not self._divides or not isinstance(node.op, ast.Div):
            return node
        target = node.target
        if isinstance(target, ast.Name):
            value = self._call("divide_in_place", ast.Name(target.id, ast.Load()), node.value)
            return _at(ast.Assign([target], value), node)
        if isinstance(target, ast.Attribute):
            call = self._call("divide_attribute", target.value, _constant(target.attr), node.value)
        else:
            call = self._call("divide_item", target.value, _key(target.slice), node.value)
        return _at(ast.Expr(call), node)

    def visit_Call(self, node: ast.Call) -> Any:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        self.generic_visit(node)
        if not self._whole or not isinstance(node.func, ast.Attribute):
            return node
        if name in ("keys", "values", "items") and not node.args and not node.keywords:
            return _at(self._call("listed", node), node)
        if name in ("decode", "encode") or name == "sort" and (node.args or _has(node, "cmp")):
            call = self._call(name, node.func.value, *node.args)
            call.keywords = node.keywords
            return _at(call, node)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        self.generic_visit(node)
        error = node.exc
        if not self._whole or not isinstance(error, ast.Call) or not isinstance(error.func, ast.Attribute):
            return node
        made = error.func.value
        if error.func.attr == "with_traceback" and isinstance(made, ast.Call) and len(made.args) <= 1:
            value = made.args[0] if made.args else _constant(None)
            node.exc = _at(self._call("raised", made.func, value, error.args[0]), node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.generic_visit(node)
        if not self._whole:
            return node
        own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        for old, new in _SPECIAL_METHODS.items():
            if old in own and new not in own and (old != "next" or "__iter__" in own):
                alias = ast.Assign([ast.Name(new, ast.Store())], ast.Name(old, ast.Load()))
                node.body.append(_at(alias, node.body[-1]))
        for part in list(node.body):
            if isinstance(part, ast.Assign) and _dotted(part.targets[0]) == "__metaclass__" and len(node.body) > 1:
                node.keywords.append(_at(ast.keyword("metaclass", part.value), part))
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


_SPECIAL_METHODS: Dict[str, str] = {
    "next": "__next__",
    "__nonzero__": "__bool__",
    "__div__": "__truediv__",
    "__rdiv__": "__rtruediv__",
    "__idiv__": "__itruediv__",
    "__unicode__": "__str__",
}


class _First:
    """The place of a statement before all others."""

    lineno = 1
    col_offset = 0
    end_lineno = 1
    end_col_offset = 0


def _at(node: Any, place: Any) -> Any:
    """Gives `node`, and what is new below it, the place of `place`, and returns it."""
    for part in ast.walk(node):
        if not hasattr(part, "lineno") and "lineno" in part._attributes:
            for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                if name in part._attributes and hasattr(place, name):
                    setattr(part, name, getattr(place, name))
    return node


def _constant(value: Any) -> ast.expr:
    return ast.Constant(value=value, **({"kind": None} if "kind" in ast.Constant._fields else {}))


def _key(node: Any) -> ast.expr:
    """Returns the expression of what stands between the brackets of a subscript."""
    if isinstance(node, ast.Slice):
        parts = [part or _constant(None) for part in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])
    if type(node).__name__ == "Index":  # until Python 3.8
        return _key(node.value)
    if type(node).__name__ == "ExtSlice":
        return ast.Tuple([_key(part) for part in node.dims], ast.Load())
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_key(part) for part in node.elts], ast.Load())
    return node


def _dotted(node: Any) -> Optional[str]:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return before and "{}.{}".format(before, node.attr)
    return None


def _is_text(node: Any) -> bool:
    # Python 3.7 has ast.Str with its `s`.
    return isinstance(getattr(node, "value", getattr(node, "s", None)), str)


def _is_float(node: Any) -> bool:
    # Python 3.7 has ast.Num with its `n`.
    return isinstance(getattr(node, "value", getattr(node, "n", None)), float)


def _has(call: ast.Call, keyword: str) -> bool:
    return any(given.arg == keyword for given in call.keywords)


def _goes_on(node: Any) -> bool:
    """Returns whether a `try` is there for names or modules that may be missing."""
    caught: Set[Optional[str]] = set()
    for handler in node.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        caught.update(_dotted(kind) if kind is not None else None for kind in kinds)
    if caught & _MISSING:
        return True
    # What catches everything is often around a whole training loop.
    few = all(isinstance(part, (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)) for part in node.body)
    return bool(caught & _EVERYTHING) and few and len(node.body) <= 3


def _is_there(module: str) -> bool:
    """Returns whether `module` can be imported, without doing so."""
    top = module.split(".")[0]
    if top != module:
        return module in sys.modules or (_is_there(top) and importlib.util.find_spec(module) is not None)
    if top in sys.modules or top in sys.builtin_module_names:
        return True
    return importlib.machinery.PathFinder.find_spec(top) is not None


def _bound_below(tree: ast.AST) -> Set[str]:
    """Returns the names that are bound in `tree` or below: as a variable, function, class, argument or import."""
    return {name for node in ast.walk(tree) if node is not tree for name in _bound_by(node)}


def _bound_at_module_level(tree: ast.Module) -> Set[str]:
    found: Set[str] = set()
    waiting: List[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        found.update(_bound_by(node))
        if isinstance(node, _SCOPES):
            found.update(name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names)
        else:
            waiting += ast.iter_child_nodes(node)
    return found


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def _bound_by(node: ast.AST) -> List[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    if isinstance(node, ast.ExceptHandler) and node.name:
        return [node.name]
    return []


def _module_aliases(tree: ast.Module) -> Dict[str, str]:
    """Returns dotted name -> module for the modules that the names table speaks of: {"string": "string"}."""
    known = {module for module, _ in names.ATTRIBUTES}
    found: Dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                bound, module = (alias.asname, alias.name) if alias.asname else (top, top)
                for name in known:
                    if name == module or name.startswith(module + "."):
                        found[bound + name[len(module) :]] = name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                module = "{}.{}".format(node.module, alias.name)
                if module in known:
                    found[alias.asname or alias.name] = module
    return found
