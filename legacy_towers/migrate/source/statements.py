"""Reads the statements of one file in the order in which Python runs them; the bodies of functions come last."""
import ast
from typing import Any, List, Tuple

from legacy_towers.migrate.source.calls import CallReader
from legacy_towers.migrate.source.names import canonical_name
from legacy_towers.migrate.source.values import NOTHING, STAR, Class, Function, Reading, Value, Values

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class StatementReader(CallReader):
    """Reads a file."""

    def read(self, tree: ast.Module) -> None:
        """Reads the file with the syntax tree `tree`."""
        self._waiting: List[Function] = []
        before = dict(self.scopes[0])
        self._statements(tree.body)
        while self._waiting:
            self._body(self._waiting.pop(0))
        if before != self.knowledge.scopes[self.path] and self.path not in self.knowledge.limited:
            self.knowledge.grew = True

    def define(self, node: Any, name: str) -> Values:
        """Returns the function that `node` defines, whose body is read later."""
        owner = self.class_ if self.class_ is not None and isinstance(node, _DEFINITIONS) else None
        scopes = self.scopes[:-1] if self.class_ is not None else list(self.scopes)
        function = self.knowledge.function(self.path, node, ".".join(self.inside + [name]), scopes, owner)
        arguments = node.args
        by_position = list(getattr(arguments, "posonlyargs", ())) + arguments.args
        named = list(zip(by_position[len(by_position) - len(arguments.defaults) :], arguments.defaults))
        named += [each for each in zip(arguments.kwonlyargs, arguments.kw_defaults) if each[1] is not None]
        for parameter, default in named:
            values = self.values(default)
            self.knowledge.add((function, "defaults"), parameter.arg, values)
            self.knowledge.add(function, parameter.arg, values)
        self._waiting.append(function)
        return frozenset([Value("function", function)])

    def _body(self, function: Function) -> None:
        """Reads the body of a function, unless that would find what it found before."""
        last = function.reading
        if last is not None and self.knowledge.is_as_used(last.uses) and all(
            self.named_in(function.scopes, name) == found for name, found in last.names.items()
        ):
            self._waiting += last.inner
            return
        waiting, self._waiting = self._waiting, []
        self.knowledge.uses, self.outer_names, self.changes_outer = {}, {}, False
        self._read_body(function)
        is_the_same_again = not self.changes_outer
        function.reading = Reading(self.knowledge.uses, self.outer_names, self._waiting) if is_the_same_again else None
        self._waiting = waiting + self._waiting

    def _read_body(self, function: Function) -> None:
        arguments = function.node.args
        names = [each.arg for each in list(getattr(arguments, "posonlyargs", ())) + arguments.args]
        names += [each.arg for each in arguments.kwonlyargs]
        names += [each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None]
        local = {name: frozenset([Value("parameter", function, name)]) for name in names}
        if function.takes_self() and names:
            kind = frozenset([Value("instance", function.owner)])
            local[names[0]] = kind | self.knowledge.get(function, "self")
        self.scopes = function.scopes + [local]
        self.function, self.class_, self.branches = function, None, 0
        self.inside = function.name.split(".")
        if isinstance(function.node, ast.Lambda):
            self.give_back(self.values(function.node.body))
        else:
            self._statements(function.node.body)

    def _statements(self, statements: List[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: Any) -> None:
        if isinstance(node, ast.Assign):
            self._assign(node.targets, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign([node.target], node.value)
        elif isinstance(node, ast.AugAssign):
            values = self.values(node.value)
            self.branches += 1
            self.bind_target(node.target, values)
            self.branches -= 1
        elif isinstance(node, ast.Return):
            self.give_back(self.values(node.value))
        elif isinstance(node, ast.Expr):
            self.values(node.value)
        elif isinstance(node, _DEFINITIONS):
            for part in node.decorator_list:
                self.values(part)
            self.bind(node.name, self.define(node, node.name))
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, ast.Import):
            self._import(node)
        elif isinstance(node, ast.ImportFrom):
            self._import_from(node)
        elif isinstance(node, ast.Global):
            self._global(node.names)
        else:
            self._compound(node)

    def _assign(self, targets: List[ast.expr], value: ast.expr) -> None:
        if isinstance(value, (ast.Tuple, ast.List)):
            parts = [self.values(part) for part in value.elts]
            values: Values = frozenset().union(*parts)
        else:
            parts, values = [], self.values(value)
        for target in targets:
            if parts and isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(parts):
                for one, part in zip(target.elts, parts):
                    self.bind_target(one, part)
            else:
                self.bind_target(target, values)

    def _compound(self, node: Any) -> None:
        """Reads `if`, `for`, `while`, `try`, `with` and all other statements."""
        if isinstance(node, (ast.For, ast.AsyncFor)):
            self.bind_target(node.target, self.values(node.iter))
        elif isinstance(node, (ast.If, ast.While)):
            self.values(node.test)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                values = self.values(item.context_expr)
                if item.optional_vars is not None:
                    self.bind_target(item.optional_vars, values)
            self._statements(node.body)
            return
        elif not hasattr(node, "body"):
            for part in ast.iter_child_nodes(node):
                self.values(part)
            return
        self.branches += 1
        for field in ("body", "handlers", "orelse", "finalbody", "cases"):
            for part in getattr(node, field, ()):
                if isinstance(part, ast.stmt):
                    self._statement(part)
                else:
                    self._statements(part.body)
        self.branches -= 1

    def _class(self, node: ast.ClassDef) -> None:
        class_: Class = self.knowledge.class_(self.path, node, ".".join(self.inside + [node.name]))
        for part in node.decorator_list:
            self.values(part)
        for base in node.bases:
            class_.bases |= self.values(base)
        self.bind(node.name, frozenset([Value("class", class_)]))
        before = self.class_, self.branches
        self.scopes = self.scopes + [class_.scope]
        self.inside.append(node.name)
        self.class_, self.branches = class_, 0
        self._statements(node.body)
        self.inside.pop()
        self.scopes = self.scopes[:-1]
        self.class_, self.branches = before

    def _global(self, names: List[str]) -> None:
        """Makes names of a function those of the module: what one function binds, all others find."""
        scope = self.scopes[0]
        for name in names:
            if self.function is not None:
                self.globals.add((self.function, name))
            scope.setdefault(name, NOTHING)

    # Imports

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            bound = alias.name if alias.asname else alias.name.split(".")[0]
            self.bind(alias.asname or bound, self._module(bound))
            if not alias.asname:
                self._module(alias.name)

    def _module(self, dotted: str) -> Values:
        api = canonical_name(dotted)
        if api is not None:
            return frozenset([Value("api", api)])
        own = self.lookups.module(self.path, dotted, 0)
        return NOTHING if own is None else frozenset([Value("module", own)])

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        api = canonical_name(module) if not node.level else None
        own = None if api is not None else self.lookups.module(self.path, module, node.level)
        for alias in node.names:
            if alias.name == "*":
                self._import_all(api, own)
                continue
            self.bind(alias.asname or alias.name, self._imported(module if not node.level else "", own, alias))

    def _imported(self, module: str, own: Any, alias: ast.alias) -> Values:
        api = canonical_name("{}.{}".format(module, alias.name)) if module else None
        if api is not None:
            return frozenset([Value("api", api)])
        if own is not None:
            found = self.attribute(alias, frozenset([Value("module", own)]), alias.name)
            # In the folder of a package, a module of its name does not hide it: `from cifar10 import util`.
            below = None if found or not module else self.lookups.module(self.path, module + "." + alias.name, 0)
            return found if below is None else frozenset([Value("module", below)])
        return self.usual("tf" if alias.name == "tensorflow" else alias.name)

    def _import_all(self, api: Any, own: Any) -> None:
        if api is not None:
            self.add_star(api)
        elif own is not None:
            pairs: List[Tuple[str, Values]] = list(self.lookups.scope(own).items())
            for name, values in pairs:
                if name == STAR:
                    self.scopes[0][STAR] = self.scopes[0].get(STAR, NOTHING) | values
                elif not name.startswith("_"):
                    self.bind(name, values)
