"""The names of TensorFlow that one file uses: where, and under which conditions.

A name is followed from the import that binds it through attributes, assignments, functions and the script's other
modules: after `slim = tf.contrib.slim`, `slim.conv2d` is `tensorflow.contrib.slim.conv2d`. Where a name may be one of
several things (an import in each branch of an `if` or a `try`) all of them are kept. Nothing is run.

Code that can't be reached is left out: the branch of a condition on Python's version, on TensorFlow's, `six.PY2` or
`hasattr(tf, "...")` that is not taken, and the handler of a `try` whose body misses nothing.
"""
import ast
from typing import Any, List, Optional, Set, Tuple, Union

from legacy_towers.oldtf.check import values
from legacy_towers.oldtf.check.conditions import constant, expects_missing, truth
from legacy_towers.oldtf.check.found import (
    KERAS,
    NOTHING,
    ROOT,
    Asked,
    Found,
    Meanings,
    NotUnderstood,
    Use,
    is_tensorflow,
)
from legacy_towers.oldtf.check.scopes import Function, Scope, Scopes

# Functions that take nothing from a module that they are given, or whose calls are read by themselves.
_LOOK_ONLY = ("dir", "getattr", "hasattr", "isinstance", "print", "reload", "repr", "str", "type")
# Modules that are followed because conditions ask them, or because they import by name.
_FOLLOWED = ("sys", "six", "importlib")


def of_source(module: ast.Module, asked: Asked) -> Found:
    """Returns what the file of the syntax tree `module` uses."""
    reader = _Reader(asked)
    reader.read(module)
    return Found(reader.uses, reader.not_understood, reader.scopes.module)


class _Reader:
    """Reads statements in the order in which Python runs them: the bodies of functions come last."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self.uses: List[Use] = []
        self.not_understood: List[NotUnderstood] = []
        self.scopes = Scopes(asked)
        # Functions to be read, with the scopes around them and the handlers that they are defined in.
        self._waiting: List[Tuple[Function, List[Scope], Tuple[int, ...]]] = []
        self._guarded_by: Tuple[int, ...] = ()
        self._fallback_of: Tuple[int, ...] = ()
        self._tries = 0
        # Names that functions bind when they run: nobody knows what they are then.
        self._globals: Set[str] = set()
        # With `from __future__ import annotations` they are text.
        self._reads_annotations = True
        # How many branches that may not be taken the reader is in.
        self._branches = 0

    def read(self, module: ast.Module) -> None:
        self._globals = {name for each in ast.walk(module) if isinstance(each, ast.Global) for name in each.names}
        self._statements(module.body)
        while self._waiting:
            function, around, self._fallback_of = self._waiting.pop(0)
            self.scopes.enter_function(function, around)
            # What runs later is in no `try` any more; and it does not run where its definition is left out.
            self._guarded_by = ()
            if isinstance(function, ast.Lambda):
                self._expression(function.body)
            else:
                self._statements(function.body)

    # Statements

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
        """Reads what a statement of any other kind is made of, in its order."""
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

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.split(".")[0]
            is_served = self._is_served(top)
            if is_served:
                self._use_module(alias.name, node)
            bound = alias.name if alias.asname else top
            is_known = is_served or top in _FOLLOWED
            self._bind(
                alias.asname or top, frozenset([bound]) if is_known else self.scopes.own_module(bound, alias.name)
            )

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        from_tensorflow = not node.level and self._is_served(module.split(".")[0])
        if from_tensorflow and module.split(".")[0] == KERAS:
            self._use_module(module, node)
        own = None if from_tensorflow else self._asked.module(module, node.level)
        if own is not None:
            self._asked.bound_in(own)  # the import runs it, whatever is taken from it
        if module == "__future__" and any(alias.name == "annotations" for alias in node.names):
            self._reads_annotations = False
        for alias in node.names:
            if alias.name == "*":
                self._import_all(module if from_tensorflow else own, from_tensorflow, node)
                continue
            meanings = NOTHING
            if from_tensorflow:
                meanings = frozenset(["{}.{}".format(module, alias.name)])
                self._use(meanings, node)
            elif own is not None:
                meanings = self.scopes.of_own(own, alias.name)
            elif module in _FOLLOWED:
                meanings = frozenset(["{}.{}".format(module, alias.name)])
            self._bind(alias.asname or alias.name, meanings)

    def _import_all(self, module: Optional[str], from_tensorflow: bool, node: ast.stmt) -> None:
        if module is None:
            return
        if not from_tensorflow:
            for name, meanings in self._asked.bound_in(module).items():
                if not name.startswith("_"):
                    self._bind(name, meanings)
            return
        self._use(frozenset([module]), node)
        if not self._asked.exists(module):
            self._say(node, "all names of {} are imported, and it is missing".format(module))
        else:
            for name in self._asked.names_of(module):
                self._bind(name, frozenset(["{}.{}".format(module, name)]))

    def _is_served(self, top: str) -> bool:
        """Returns whether the names below the module `top` are followed."""
        if top != KERAS:
            return top == ROOT
        return self._asked.serves_keras and self._asked.module(top, 0) is None

    def _use_module(self, module: str, node: ast.stmt) -> None:
        if module.split(".")[0] == KERAS:
            self._use(frozenset([KERAS]), node)
        self._use(frozenset([module]), node)

    def _function(self, node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> None:
        for part in node.decorator_list:
            self._expression(part)
        self._arguments(node.args)
        if node.returns is not None and self._reads_annotations:
            self._expression(node.returns)
        self._bind(node.name, NOTHING)
        self._later(node)

    def _arguments(self, arguments: ast.arguments) -> None:
        """Reads what runs where a function is defined: the defaults and annotations of its arguments."""
        for default in arguments.defaults + [each for each in arguments.kw_defaults if each]:
            self._expression(default)
        every = getattr(arguments, "posonlyargs", []) + arguments.args + arguments.kwonlyargs
        for each in every + [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]:
            if each.annotation is not None and self._reads_annotations:
                self._expression(each.annotation)

    def _later(self, function: Function) -> None:
        self._waiting.append((function, self.scopes.around(), self._fallback_of))

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
                self._bind_target(target, self.scopes.meanings(value) or self._flag(target, value))

    def _flag(self, target: ast.expr, value: ast.expr) -> Meanings:
        """Returns what a name may be that keeps the outcome of a condition: IS_NEW = tf.__version__ >= "1.4"."""
        if isinstance(target, ast.Name) and target.id in self._globals:
            return NOTHING
        if isinstance(value, ast.Call) or constant(value) is None:
            found = self._truth(value)
            told = values.value(value, self.scopes.meanings)
            return values.as_meaning(found if told is values.UNKNOWN and found is not None else told)
        return NOTHING

    def _bind_target(self, target: ast.expr, meanings: Meanings) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, meanings)
        else:
            self._bind_targets(target)

    def _bind_targets(self, target: ast.AST) -> None:
        """Notes that the names in `target` are nothing of TensorFlow from here on."""
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
            else:  # before Python 3.9 it is of a kind of its own
                self._parts(index)

    def _bind(self, name: str, meanings: Meanings) -> None:
        # In a branch that may not be run, what the name was before stays possible.
        may_stay = bool(self._guarded_by or self._fallback_of or self._branches)
        self.scopes.bind(name, meanings, may_stay)

    # Conditions

    def _if(self, node: ast.If) -> None:
        taken = self._truth(node.test)
        if taken is None:
            self._expression(node.test, is_followed=True)
            self._branches += 1
        if taken is not False:
            self._statements(node.body)
        if taken is not True:
            self._statements(node.orelse)
        self._branches -= taken is None

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

    # Expressions

    def _expression(self, node: ast.expr, is_followed: bool = False) -> None:
        """Reads an expression; `is_followed`: what is done with its value is read elsewhere."""
        if isinstance(node, (ast.Attribute, ast.Name)):
            meanings = self.scopes.meanings(node)
            if any(is_tensorflow(each) for each in meanings):
                if isinstance(node, ast.Attribute):
                    self._use(meanings, node)
                if not is_followed:
                    self._handed_on(meanings, node)
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
                self._parts(part)

    def _choice(self, node: Union[ast.IfExp, ast.BoolOp], is_followed: bool) -> None:
        """Reads the parts of `a if b else c`, `a and b`, `a or b` that may be reached."""
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
        return truth(test, self.scopes.meanings, self._asked.exists)

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

    def _call(self, node: ast.Call) -> None:
        """Looks at calls that name modules or attributes by strings."""
        called = self.scopes.meanings(node.func)
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if "importlib.import_module" in called or name == "__import__":
            module = constant(node.args[0]) if node.args else None
            if not isinstance(module, str):
                self._say(node, "a module is imported by a name that is known only when it runs")
            elif self._is_served(module.split(".")[0]):
                self._use(frozenset([module]), node)
        elif name == "getattr" and len(node.args) >= 2:
            owner, attribute = self.scopes.meanings(node.args[0]), constant(node.args[1])
            of_tensorflow = [each for each in owner if is_tensorflow(each)]
            if of_tensorflow and not isinstance(attribute, str):
                self._say(node, "an attribute of {} is asked for by a name that is known only when it runs".format(
                    of_tensorflow[0]))
            elif of_tensorflow and len(node.args) == 2:
                self._use(frozenset("{}.{}".format(each, attribute) for each in of_tensorflow), node)
        elif name in ("exec", "eval") and node.args and not isinstance(constant(node.args[0]), (int, float)):
            self._say(node, "{} runs text that was not read".format(name))

    # What was found

    def _use(self, meanings: Meanings, node: ast.AST) -> None:
        of_tensorflow = tuple(sorted(each for each in meanings if is_tensorflow(each)))
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0) + 1
        self.uses.append(Use(of_tensorflow, line, column, self._guarded_by, self._fallback_of))

    def _handed_on(self, meanings: Meanings, node: ast.AST) -> None:
        """Says of a module that is given to a function, returned or kept that it is followed no further."""
        modules = sorted(each for each in meanings if is_tensorflow(each) and self._asked.is_module(each))
        if modules:
            self._say(node, "{} is handed on here, and what is taken from it there was not read".format(modules[0]))

    def _say(self, node: ast.AST, why: str) -> None:
        self.not_understood.append(NotUnderstood(getattr(node, "lineno", 0), why))
