"""Finds the TensorFlow names that one file uses, with their positions, without running it.

A name is tracked from the import that binds it through attributes, assignments, functions and the script's other
modules: after `slim = tf.contrib.slim`, `slim.conv2d` is `tensorflow.contrib.slim.conv2d`. If a name has several
possible meanings (an import in each branch of an `if` or a `try`), all of them are kept.

Unreachable code is skipped: the branch that is not taken of a condition on the version of Python or TensorFlow, on
`six.PY2` or on `hasattr(tf, "...")`, and the handler of a `try` whose body has no missing name.
"""
import ast
from typing import Any, Dict, FrozenSet, List, Set, Union

from legacy_towers.run.check import flags, instances, values
from legacy_towers.run.check.conditions import constant, expects_missing
from legacy_towers.run.check.findings import NOTHING, Found, Lookups, Meanings, is_tensorflow
from legacy_towers.run.check.import_statements import ImportReader


def of_source(module: ast.Module, lookups: Lookups) -> Found:
    """Returns the TensorFlow names that the file with the syntax tree `module` uses."""
    reader = _StatementReader(lookups)
    reader.read(module)
    # Other files may use an object in ways that are not known here.
    bound = {name: frozenset(each for each in meanings if instances.CALLED not in each)
             for name, meanings in reader.scopes.module.items()}
    return Found(reader.uses, reader.not_understood, bound)


class _StatementReader(ImportReader):
    """Visits statements in the order in which Python runs them; the bodies of functions come last."""

    def __init__(self, lookups: Lookups) -> None:
        super().__init__(lookups)
        self._tries = 0
        # Names that functions rebind by `global`: their value is known only at run time.
        self._globals: Set[str] = set()
        # Flag -> its default.
        self._flags: Dict[str, Any] = {}
        self._objects: FrozenSet[str] = frozenset()

    def read(self, module: ast.Module) -> None:
        self._flags = flags.defaults(module)
        self._objects = instances.names_of_objects(module)
        self._globals = {name for each in ast.walk(module) if isinstance(each, ast.Global) for name in each.names}
        self._statements(module.body)
        self._only_if = ""
        while self._waiting:
            function, enclosing, self._fallback_of = self._waiting.pop(0)
            self.scopes.enter_function(function, enclosing)
            # A body runs after the `try` that contains its definition, but only if that definition is reached.
            self._guarded_by = ()
            if isinstance(function, ast.Lambda):
                self._expression(function.body)
            else:
                self._statements(function.body)

    def _statements(self, statements: List[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            self._import(node)
        elif isinstance(node, ast.ImportFrom):
            self._import_from(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._function(node)
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, ast.Assign):
            self._assign(node.targets, node.value)
        elif isinstance(node, ast.AnnAssign):
            if self._reads_annotations:
                self._expression(node.annotation)
            if node.value is not None:
                self._assign([node.target], node.value)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.Try):
            self._try(node)
        else:
            self._parts(node)

    def _parts(self, node: ast.AST) -> None:
        """Reads the parts of a statement of any other kind, in order."""
        for field, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if field in ("target", "optional_vars") and isinstance(part, ast.expr):
                    self._bind_targets(part)
                elif isinstance(part, ast.stmt):
                    self._statement(part)
                elif isinstance(part, ast.expr):
                    self._expression(part, is_followed=isinstance(node, ast.Expr))
                elif isinstance(part, ast.AST):
                    self._parts(part)

    def _function(self, node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> None:
        for part in node.decorator_list:
            self._expression(part)
        self._arguments(node.args)
        if node.returns is not None and self._reads_annotations:
            self._expression(node.returns)
        self._bind(node.name, self._version_function(node))
        self._later(node)

    def _version_function(self, node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> Meanings:
        """Returns the meaning of a function that is a version check: def is_new(): return tf.__version__ >= "2"."""
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if len(body) == 1 and isinstance(body[0], ast.Try) and not node.decorator_list and not _parameters(node):
            return self._tried_version(body[0])
        returned = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
        is_plain = isinstance(node, ast.FunctionDef) and not node.decorator_list and not _parameters(node)
        if returned is None or not is_plain or node.name in self._globals or constant(returned) is not None:
            return NOTHING
        # Variables may have other values when it is called.
        variables = [each for each in ast.walk(returned) if isinstance(each, ast.Name)]
        if any(values.is_variable(self.scopes.meanings(each)) for each in variables):
            return NOTHING
        return values.as_function(self._known(returned))

    def _tried_version(self, node: ast.Try) -> Meanings:
        """Returns the meaning of a function that tries a check, if its handlers return the value that the check has:

            try:
                from tensorflow.python import tf2
                return tf2.enabled()
            except Exception:
                return False
        """
        *imports, last = node.body
        ends = [each.body[0] for each in node.handlers if len(each.body) == 1]
        if node.orelse or node.finalbody or len(ends) < len(node.handlers) or not isinstance(last, ast.Return):
            return NOTHING
        self.scopes.enter()
        for each in imports:
            if not isinstance(each, ast.ImportFrom) or each.level or each.module is None:
                self.scopes.leave()
                return NOTHING
            for alias in each.names:
                name = "{}.{}".format(each.module, alias.name)
                self.scopes.bind(alias.asname or alias.name, frozenset([name] if is_tensorflow(name) else []), False)
        found = values.UNKNOWN if last.value is None else self._known(last.value)
        self.scopes.leave()
        if found is values.UNKNOWN or not all(
            isinstance(end, ast.Return) and end.value is not None and constant(end.value) == found for end in ends
        ):
            return NOTHING
        return values.as_function(found)

    def _class(self, node: ast.ClassDef) -> None:
        for part in node.decorator_list + node.bases + [each.value for each in node.keywords]:
            self._expression(part)
        self._bind(node.name, NOTHING)
        self.scopes.enter()
        self._statements(node.body)
        self.scopes.leave()

    def _assign(self, targets: List[ast.expr], value: ast.expr) -> None:
        is_followed = all(isinstance(target, (ast.Name, ast.Tuple, ast.List)) for target in targets)
        self._expression(value, is_followed)
        for target in targets:
            same_length = (
                isinstance(target, (ast.Tuple, ast.List))
                and isinstance(value, (ast.Tuple, ast.List))
                and len(target.elts) == len(value.elts)
            )
            if same_length:
                for one, part in zip(target.elts, value.elts):  # type: ignore[attr-defined]
                    self._bind_target(one, self.scopes.meanings(part))
            else:
                self._bind_target(target, self.scopes.meanings(value) or self._object(target, value) or self._flag(
                    target, value))

    def _object(self, target: ast.expr, value: ast.expr) -> Meanings:
        """Returns the meaning of a name that holds the object that a call of a class of TensorFlow makes."""
        if not isinstance(target, ast.Name) or target.id not in self._objects or not isinstance(value, ast.Call):
            return NOTHING
        called = self.scopes.meanings(value.func)
        if len(called) != 1 or not all(is_tensorflow(each) and instances.CALLED not in each for each in called):
            return NOTHING
        return frozenset(each + instances.CALLED for each in called)

    def _flag(self, target: ast.expr, value: ast.expr) -> Meanings:
        """Returns the meaning of a name that holds the result of a version check: IS_NEW = tf.__version__ >= "1.4"."""
        if isinstance(target, ast.Name) and target.id in self._globals:
            return NOTHING
        if isinstance(value, ast.Call) or constant(value) is None:
            return values.as_meaning(self._known(value))
        return NOTHING

    def _known(self, node: ast.expr) -> Any:
        """Returns the value of the expression, values.UNKNOWN if it is known only at run time."""
        found = self._truth(node)
        known = values.value(node, self.scopes.meanings)
        return found if known is values.UNKNOWN and found is not None else known

    def _if(self, node: ast.If) -> None:
        taken = self._truth(node.test)
        by_default = None
        if taken is None:
            self._expression(node.test, is_followed=True)
            self._branches += 1
            by_default = flags.truth(node.test, self._flags)
        if taken is not False:
            self._statements_if(by_default is False, node.test, node.body)
        if taken is not True:
            self._statements_if(by_default is True, node.test, node.orelse)
        self._branches -= taken is None

    def _statements_if(self, is_excluded: bool, test: ast.expr, statements: List[ast.stmt]) -> None:
        """Reads a branch; `is_excluded`: whether the defaults of the flags in its condition exclude it."""
        before = self._only_if
        if is_excluded and not before:
            self._only_if = flags.shown(test, self._flags)
        self._statements(statements)
        self._only_if = before

    def _try(self, node: ast.Try) -> None:
        before = self._guarded_by, self._fallback_of
        number = None
        if any(expects_missing(handler) for handler in node.handlers):
            self._tries += 1
            number = self._tries
            self._guarded_by += (number,)
        self._statements(node.body)
        self._guarded_by = before[0]
        for handler in node.handlers:
            if handler.type is not None:
                self._expression(handler.type)
            if number is not None and expects_missing(handler):
                self._fallback_of += (number,)
            self._statements(handler.body)
            self._fallback_of = before[1]
        self._statements(node.orelse)
        self._statements(node.finalbody)


def _parameters(node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> List[ast.arg]:
    return [part for part in ast.walk(node.args) if isinstance(part, ast.arg)]
