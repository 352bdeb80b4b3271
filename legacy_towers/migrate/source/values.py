"""What an expression may be, as far as it matters here. An expression has a set of such values.

    api         a name of TensorFlow                tf.train.batch
    module      a module of the project
    function    a function of the project
    class       a class of the project
    instance    an object of such a class
    made        what a call of queues gives, or what is computed from it
    method      a method of what a call of queues gives
    parameter   what a function's caller passes
"""
import ast
from typing import Any, Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple


class Value(NamedTuple):
    """One thing that an expression may be.

    Attributes:
      kind: one of the kinds above.
      what: the dotted name; the path of the module; the Function, Class or Site.
      name: the name of the method or of the parameter, else "".
    """

    kind: str
    what: Any
    name: str = ""


# The kinds that examples are, or come from.
EXAMPLES = ("made", "method")

Values = FrozenSet[Value]
NOTHING: Values = frozenset()
Scope = Dict[str, Values]
# What a scope has as a name for the modules of TensorFlow whose names are all imported into it.
STAR = "*"


class Reading(NamedTuple):
    """What the last reading of a function's body used: while that stays, another reading finds nothing else.

    Attributes:
      uses: what was looked up -> what was found.
      names: the names that were looked up in the scopes around the function -> what they were.
      inner: the functions that it defines.
    """

    uses: Dict[Any, Any]
    names: Dict[str, Values]
    inner: List["Function"]


class Function:
    """A function of the project.

    Attributes:
      path: the path of its file.
      node: its definition.
      name: its name with those of the classes and functions that it is in, "" for the code of a module.
      scopes: the scopes around it, outermost first.
      owner: the class whose method it is.
      reading: its last reading, None if it must be read again.
    """

    def __init__(self, path: str, node: Any, name: str, scopes: List[Scope], owner: Optional["Class"]) -> None:
        self.path, self.node, self.name, self.scopes, self.owner = path, node, name, scopes, owner
        self.reading: Optional[Reading] = None
        decorators = {_last(each) for each in getattr(node, "decorator_list", ())}
        self.is_static = "staticmethod" in decorators
        self.is_property = bool(decorators & {"property", "lazy_property", "cached_property", "define_scope"})

    def parameters(self) -> List[str]:
        """Returns the names of its parameters by position, those of a method without the object itself."""
        arguments = self.node.args
        names = [each.arg for each in list(getattr(arguments, "posonlyargs", ())) + arguments.args]
        return names[1:] if self.takes_self() else names

    def takes_self(self) -> bool:
        return self.owner is not None and not self.is_static and not isinstance(self.node, ast.Lambda)


class Class:
    """A class of the project.

    Attributes:
      path: the path of its file.
      name: its name with those of what it is in.
      scope: what its body binds.
      bases: what it is derived from.
    """

    def __init__(self, path: str, name: str) -> None:
        self.path, self.name = path, name
        self.scope: Scope = {}
        self.bases: Values = NOTHING


class Site:
    """A call of the API of queues.

    Attributes:
      path: the path of the file.
      name: the name of the function, class or method: "tf.train.batch", "tf.ReaderBase.read".
      node: the call; for a class that is derived from one of TensorFlow, the call that makes its object.
      function: the name of the function that it is in, "" at the top level of a module.
      arguments: position or name -> what is passed; "self" is the object that a method is called on.
    """

    def __init__(self, path: str, name: str, node: ast.AST, function: str) -> None:
        self.path, self.name, self.node, self.function = path, name, node, function
        self.arguments: Dict[Any, Values] = {}

    @property
    def line(self) -> int:
        """The line in the file, from 1."""
        return int(getattr(self.node, "lineno", 1))

    @property
    def column(self) -> int:
        """The column in the line, from 1."""
        return int(getattr(self.node, "col_offset", 0)) + 1

    def __repr__(self) -> str:
        return "{}:{}:{} {}".format(self.path, self.line, self.column, self.name)


_KINDS = ("made", "method", "api", "parameter", "module", "class", "function", "instance")


def sort_key(value: Value) -> Tuple[int, str, int, int, str]:
    """Returns the key that sorts values, those first that examples flow through; it is the same in each run."""
    what = value.what
    node = getattr(what, "node", None)
    place = (getattr(what, "path", str(what)), getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    return (_KINDS.index(value.kind),) + place + (value.name or str(getattr(what, "name", "")),)


def place_of(function: Function) -> Tuple[str, int, int]:
    """Returns the file, line and column of a function, by which functions are sorted."""
    return function.path, getattr(function.node, "lineno", 0), getattr(function.node, "col_offset", 0)


def in_order(values: Values) -> Iterable[Value]:
    """Returns values in an order that is the same in each run."""
    return values if len(values) < 2 else sorted(values, key=sort_key)


def union(sets: Iterable[Values]) -> Values:
    """Returns all values of `sets`."""
    found = list(each for each in sets if each)
    return found[0] if len(found) == 1 else frozenset().union(*found)


def _last(node: ast.AST) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return str(getattr(node, "attr", getattr(node, "id", "")))
