"""Evaluates the expressions of one file."""
import ast
from typing import Any, Optional

from legacy_towers.migrate.source.scopes import ScopeReader
from legacy_towers.migrate.source.values import NOTHING, Function, Values, union

_CONTAINERS = (ast.List, ast.Set, ast.Tuple)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class ExpressionReader(ScopeReader):
    """Evaluates expressions, and what is in them."""

    def values(self, node: Any) -> Values:
        """Returns what the expression `node` may be; evaluates each call in it."""
        if node is None:
            return NOTHING
        if isinstance(node, ast.Name):
            return self.named(node.id)
        if isinstance(node, ast.Attribute):
            return self.attribute(node, self.values(node.value), node.attr)
        if isinstance(node, ast.Call):
            return self.call(node) | self._by_name(node)
        if isinstance(node, _CONTAINERS):
            return union([self.values(part) for part in node.elts])
        if isinstance(node, ast.Dict):
            for key in node.keys:
                self.values(key)
            return union([self.values(part) for part in node.values])
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node)
        if isinstance(node, ast.Lambda):
            return self._lambda(node)
        if isinstance(node, ast.IfExp):
            self.values(node.test)
            return union([self.values(node.body), self.values(node.orelse)])
        if isinstance(node, ast.BoolOp):
            return union([self.values(part) for part in node.values])
        if isinstance(node, ast.Subscript):
            self._parts(node.slice)
            return self.values(node.value) | self._of_globals(node)
        if isinstance(node, (ast.Starred, ast.Await)):
            return self.values(node.value)
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return self.give_back(self.values(node.value))
        if isinstance(node, ast.expr):
            return self._parts(node)
        return NOTHING

    def _by_name(self, node: ast.Call) -> Values:
        """Returns the functions and classes of the project that `getattr(inputs, "read")` gives."""
        is_called = isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) in (2, 3)
        name = _text(node.args[1]) if is_called else None
        if name is None:
            return NOTHING
        return _own(self.attribute(node, self.values(node.args[0]), name))

    def _of_globals(self, node: ast.Subscript) -> Values:
        """Returns the functions that `globals()["read"]` gives, and those that `globals()["read_" + name]` may give."""
        called: Any = node.value.func if isinstance(node.value, ast.Call) else None
        if not isinstance(called, ast.Name) or called.id != "globals":
            return NOTHING
        key: Any = node.slice
        # Before Python 3.9 it is an ast.Index.
        key = getattr(key, "value", key) if type(key).__name__ == "Index" else key
        name = _text(key)
        if name is not None:
            return _own(self.named_in(self.scopes[:1], name))
        start = _text(key.left) if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add) else None
        if not start:
            return NOTHING
        names = sorted(each for each in self.scopes[0] if each.startswith(start))
        return _own(union([self.named_in(self.scopes[:1], each) for each in names]))

    def call(self, node: ast.Call) -> Values:
        """Evaluates a call and returns what it may give."""
        raise NotImplementedError

    def define(self, node: Any, name: str) -> Values:
        """Returns the function that `node` defines, whose body is read later."""
        raise NotImplementedError

    def give_back(self, values: Values) -> Values:
        """Records that the current function may return `values`."""
        if isinstance(self.function, Function):
            self.knowledge.add(self.function, "return", values)
        return NOTHING

    def _lambda(self, node: ast.Lambda) -> Values:
        """Returns the function; its body is also evaluated here: `x = tf.cond(p, lambda: f(x), lambda: x)`."""
        functions = self.define(node, "<lambda>")
        self.scopes = self.scopes + [{each.arg: NOTHING for each in node.args.args}]
        returned = self.knowledge.flowing(self.values(node.body))
        self.scopes = self.scopes[:-1]
        for each in functions:
            self.knowledge.add(each.what, "return", returned)
        return functions

    def _comprehension(self, node: Any) -> Values:
        self.scopes.append({})
        for generator in node.generators:
            self.bind_target(generator.target, self.values(generator.iter))
            for condition in generator.ifs:
                self.values(condition)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        found = union([self.values(part) for part in parts])
        self.scopes.pop()
        return found

    def _parts(self, node: ast.AST) -> Values:
        """Evaluates the parts of an operation; its value depends on each of them."""
        found = []
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                found.append(self.knowledge.flowing(self.values(part)))
            elif not isinstance(part, (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop)):
                found.append(self._parts(part))
        return union(found)


def _text(node: Any) -> Optional[str]:
    """Returns the string that an expression is; None of another expression."""
    # Before Python 3.8 it is an ast.Str.
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else getattr(node, "s", None)
    return value if isinstance(value, str) else None


def _own(values: Values) -> Values:
    return frozenset(each for each in values if each.kind in ("function", "class"))
