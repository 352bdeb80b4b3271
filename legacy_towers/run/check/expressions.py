"""Finds the TensorFlow names in the expressions of one file."""
import ast
from typing import Any, List, Optional, Tuple, Union

from legacy_towers.compat.tf1 import refused_arguments
from legacy_towers.run.check.conditions import constant, truth
from legacy_towers.run.check.findings import (
    KERAS,
    NOTHING,
    ROOT,
    Lookups,
    Meanings,
    NotUnderstood,
    Use,
    is_tensorflow,
)
from legacy_towers.run.check.scopes import Function, Scope, Scopes

# Functions that use no attribute of a module passed to them, or whose calls are handled in `_call`.
_LOOK_ONLY = ("dir", "getattr", "hasattr", "isinstance", "print", "reload", "repr", "str", "type")


class ExpressionReader:
    """Reads expressions: records the TensorFlow names that they use, and binds the targets of assignments.

    Args:
      lookups: the lookups outside of the file.
    """

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self.uses: List[Use] = []
        self.not_understood: List[NotUnderstood] = []
        self.scopes = Scopes(lookups)
        # Functions still to read, with their enclosing scopes and the handlers that they are defined in.
        self._waiting: List[Tuple[Function, List[Scope], Tuple[int, ...]]] = []
        self._guarded_by: Tuple[int, ...] = ()
        self._fallback_of: Tuple[int, ...] = ()
        # `from __future__ import annotations` turns annotations into text.
        self._reads_annotations = True
        # The flag whose default excludes the branch that is read, see `flags`.
        self._only_if = ""
        # The number of enclosing branches that may not be taken.
        self._branches = 0

    def _expression(self, node: ast.expr, is_followed: bool = False) -> None:
        """Reads an expression; with `is_followed` the caller tracks the use of its value."""
        if isinstance(node, (ast.Attribute, ast.Name)):
            meanings = self.scopes.meanings(node)
            if any(is_tensorflow(each) for each in meanings):
                if isinstance(node, ast.Attribute):
                    self._use(meanings, node)
                if not is_followed:
                    self._passed_on(meanings, node)
                return
            if isinstance(node, ast.Attribute):
                self._expression(node.value)
            return
        if isinstance(node, ast.Lambda):
            self._arguments(node.args)
            self._later(node)
            return
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            self._comprehension(node)
            return
        if isinstance(node, (ast.IfExp, ast.BoolOp)):
            self._choice(node, is_followed)
            return
        if isinstance(node, ast.Call):
            self._call(node)
            is_followed = isinstance(node.func, ast.Name) and node.func.id in _LOOK_ONLY
        elif not isinstance(node, (ast.Tuple, ast.List)):  # whose parts are assigned to names of their own
            is_followed = isinstance(node, (ast.Compare, ast.UnaryOp))
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._expression(part, is_followed)
            elif isinstance(part, ast.keyword):
                self._expression(part.value)
            else:
                self._index_parts(part)

    def _choice(self, node: Union[ast.IfExp, ast.BoolOp], is_followed: bool) -> None:
        """Reads the reachable parts of `a if b else c`, `a and b`, `a or b`."""
        if isinstance(node, ast.IfExp):
            taken = self._truth(node.test)
            for part, is_read in ((node.test, taken is None), (node.body, taken is not False),
                                  (node.orelse, taken is not True)):
                if is_read:
                    self._expression(part, is_followed or part is node.test)
            return
        for part in node.values:
            found = self._truth(part)
            if found is None:
                self._expression(part, is_followed)
            elif found is isinstance(node.op, ast.Or):
                return

    def _truth(self, test: ast.expr) -> Optional[bool]:
        return truth(test, self.scopes.meanings, self._lookups.exists)

    def _comprehension(self, node: Any) -> None:
        self.scopes.enter()
        for generator in node.generators:
            self._expression(generator.iter)
            self._bind_targets(generator.target)
            for condition in generator.ifs:
                self._expression(condition)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self._expression(part)
        self.scopes.leave()

    def _index_parts(self, node: ast.AST) -> None:
        """Reads the parts of an index, which before Python 3.9 is not an expression."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._expression(part)
            else:
                self._index_parts(part)

    def _call(self, node: ast.Call) -> None:
        """Handles calls that name modules or attributes by strings."""
        called = self.scopes.meanings(node.func)
        for each in called:
            for keyword in node.keywords:
                if keyword.arg and refused_arguments.sentence(each, keyword.arg):
                    self._use(frozenset(["{}({}=)".format(each, keyword.arg)]), node)
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if "importlib.import_module" in called or name == "__import__":
            module = constant(node.args[0]) if node.args else None
            if not isinstance(module, str):
                self._not_understood(node, "imports a module whose name is known only at run time")
            elif self._is_checked(module.split(".")[0]):
                self._use(frozenset([module]), node)
        elif name == "getattr" and len(node.args) >= 2:
            owner, attribute = self.scopes.meanings(node.args[0]), constant(node.args[1])
            of_tensorflow = [each for each in owner if is_tensorflow(each)]
            if of_tensorflow and not isinstance(attribute, str):
                self._not_understood(node, "gets an attribute of {} whose name is known only at run time".format(
                    of_tensorflow[0]))
            elif of_tensorflow and len(node.args) == 2:
                self._use(frozenset("{}.{}".format(each, attribute) for each in of_tensorflow), node)
        elif name in ("exec", "eval") and node.args and not isinstance(constant(node.args[0]), (int, float)):
            self._not_understood(node, "{} runs text that --check can't read".format(name))

    def _is_checked(self, top: str) -> bool:
        """Returns whether the names of the top-level module `top` are checked."""
        if top != KERAS:
            return top == ROOT
        return self._lookups.replaces_keras and self._lookups.module(top, 0) is None

    def _arguments(self, arguments: ast.arguments) -> None:
        """Reads the defaults and annotations of arguments, which are evaluated where the function is defined."""
        for default in arguments.defaults + [each for each in arguments.kw_defaults if each]:
            self._expression(default)
        every = getattr(arguments, "posonlyargs", []) + arguments.args + arguments.kwonlyargs
        for each in every + [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]:
            if each.annotation is not None and self._reads_annotations:
                self._expression(each.annotation)

    def _later(self, function: Function) -> None:
        self._waiting.append((function, self.scopes.visible(), self._fallback_of))

    # Bindings

    def _bind_target(self, target: ast.expr, meanings: Meanings) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, meanings)
        else:
            self._bind_targets(target)

    def _bind_targets(self, target: ast.AST) -> None:
        """Binds the names in `target` to values that are not from TensorFlow."""
        if isinstance(target, ast.Name):
            self._bind(target.id, NOTHING)
        elif isinstance(target, ast.Starred):
            self._bind_targets(target.value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._bind_targets(part)
        elif isinstance(target, ast.Attribute):
            self._expression(target.value)
        elif isinstance(target, ast.Subscript):
            self._expression(target.value)
            index: Any = target.slice
            if isinstance(index, ast.expr):
                self._expression(index)
            else:
                self._index_parts(index)

    def _bind(self, name: str, meanings: Meanings) -> None:
        # In a branch that may not run, the previous meanings stay possible.
        may_stay = bool(self._guarded_by or self._fallback_of or self._branches)
        self.scopes.bind(name, meanings, may_stay)

    # Findings

    def _use(self, meanings: Meanings, node: ast.AST) -> None:
        of_tensorflow = tuple(sorted(each for each in meanings if is_tensorflow(each)))
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0) + 1
        self.uses.append(Use(of_tensorflow, line, column, self._guarded_by, self._fallback_of, self._only_if))

    def _passed_on(self, meanings: Meanings, node: ast.AST) -> None:
        """Reports a module that is passed to a function, returned or stored, which is not tracked further."""
        modules = sorted(each for each in meanings if is_tensorflow(each) and self._lookups.is_module(each))
        if modules:
            self._not_understood(node, "{} is passed on here; uses of it elsewhere are not checked".format(modules[0]))

    def _not_understood(self, node: ast.AST, why: str) -> None:
        self.not_understood.append(NotUnderstood(getattr(node, "lineno", 0), why))
