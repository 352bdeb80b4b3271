"""Python 2's names and constructs at run time; the rewritten files of a script import this module."""
import builtins
import collections.abc
import decimal
import functools
import importlib
import itertools
import math
import operator
import sys
import types
from typing import Any, List, Sequence, Tuple

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run import script_finder
from legacy_towers.run.python2 import division, files, methods, names

# Python 2's built-in names.
xrange = builtins.range
unichr = builtins.chr
long = int
raw_input = builtins.input
reduce = functools.reduce
intern = sys.intern
buffer = memoryview
StandardError = Exception
open = file = files.open_file  # noqa: A001
NoneType = type(None)
hundred = 100

div = division.div
divide_in_place = division.divide_in_place
divide_item = division.divide_item
divide_attribute = division.divide_attribute
decode = files.decode
encode = files.encode


class _StringKind(type):
    """The metaclass of Python 2's string types: their instances are those of `kinds`."""

    kinds: Any = str

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.kinds)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.kinds)

    def __eq__(cls, other: Any) -> bool:
        return other is cls or other is cls.kinds

    def __hash__(cls) -> int:
        return hash(cls.kinds)


class basestring(metaclass=_StringKind):  # noqa: N801
    """basestring of Python 2: str and bytes are its subclasses."""

    kinds = (str, bytes)


class unicode(metaclass=_StringKind):  # noqa: N801
    """unicode of Python 2: the same as str; a call decodes bytes."""

    kinds = str

    def __new__(cls, value: Any = "", encoding: str = "utf-8", errors: str = "strict") -> Any:
        return value.decode(encoding, errors) if isinstance(value, bytes) else str(value)


def cmp(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def apply(function: Any, arguments: Sequence[Any] = (), keywords: Any = None) -> Any:
    return function(*arguments, **(keywords or {}))


def coerce(a: Any, b: Any) -> Any:
    zero = a * 0 + b * 0
    return a + zero, b + zero


def execfile(path: str, globals_: Any = None, locals_: Any = None) -> None:
    """Runs a file of the script in the namespace of the caller."""
    caller = sys._getframe(1)
    globals_ = caller.f_globals if globals_ is None else globals_
    finder = script_finder.installed()
    with builtins.open(path, "rb") as source:
        text = source.read()
    code = compile(text, path, "exec") if finder is None else finder.compile(text, path)
    exec(code, globals_, globals_ if locals_ is None else locals_)


def reload(module: Any) -> Any:
    # Scripts call reload(sys) for sys.setdefaultencoding; reloading would also reset a replaced sys.stdout.
    return module if module is sys else importlib.reload(module)


def range(*arguments: Any) -> List[int]:  # noqa: A001
    return list(builtins.range(*arguments))


def map(function: Any, *iterables: Any) -> List[Any]:  # noqa: A001
    if function is None:
        return list(itertools.zip_longest(*iterables)) if len(iterables) > 1 else list(*iterables)
    if len(iterables) > 1:
        return [function(*items) for items in itertools.zip_longest(*iterables)]
    return [function(item) for item in iterables[0]]


def zip(*iterables: Any) -> List[Any]:  # noqa: A001
    return list(builtins.zip(*iterables))


def filter(function: Any, iterable: Any) -> Any:  # noqa: A001
    kept = list(builtins.filter(function, iterable))
    if isinstance(iterable, str):
        return "".join(kept)
    return tuple(kept) if isinstance(iterable, tuple) else kept


def input(prompt: str = "") -> Any:  # noqa: A001
    caller = sys._getframe(1)
    return eval(builtins.input(prompt), caller.f_globals, caller.f_locals)


def ord(character: Any) -> int:  # noqa: A001
    # In Python 3 an element of bytes is an int.
    return character if isinstance(character, int) else builtins.ord(character)


def round(number: Any, digits: int = 0) -> Any:  # noqa: A001
    """Returns the rounded number as a float; halves are rounded away from zero."""
    if not isinstance(number, (int, float)):
        return builtins.round(number, digits) if digits else builtins.round(number)
    if not math.isfinite(number):
        return float(number)
    places = decimal.Decimal(1).scaleb(-digits)
    with decimal.localcontext() as context:
        context.prec = 400  # any float, digit by digit
        return float(decimal.Decimal(number).quantize(places, decimal.ROUND_HALF_UP))


def sorted(iterable: Any, cmp: Any = None, key: Any = None, reverse: bool = False) -> List[Any]:  # noqa: A001
    return builtins.sorted(iterable, key=_key(cmp, key), reverse=reverse)


def sort(value: Any, *arguments: Any, **keywords: Any) -> Any:
    """Runs value.sort(...), which takes a comparison function in Python 2."""
    if not isinstance(value, list) or (arguments and not callable(arguments[0]) and arguments[0] is not None):
        return value.sort(*arguments, **keywords)
    given = dict(builtins.zip(("cmp", "key", "reverse"), arguments), **keywords)
    return value.sort(key=_key(given.get("cmp"), given.get("key")), reverse=bool(given.get("reverse", False)))


def _key(compare: Any, key: Any) -> Any:
    if compare is None:
        return key
    comparable = functools.cmp_to_key(compare)
    return comparable if key is None else lambda item: comparable(key(item))


_COMPARISONS = {"Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge}


def compared(kind: str, a: Any, b: Any) -> Any:
    """Returns `a < b` (`kind` "Lt"), `a <= b` and so on, for values of different types too.

    In Python 2 None is less than numbers, and numbers are less than other objects, which compare by type name.
    """
    try:
        return _COMPARISONS[kind](a, b)
    except TypeError:
        if type(a) is type(b) and a is not None:
            raise
        return _COMPARISONS[kind](_rank(a), _rank(b))


def _rank(value: Any) -> Any:
    if value is None:
        return (0, "")
    return (1, "") if isinstance(value, (int, float)) else (2, type(value).__name__)


def listed(value: Any) -> Any:
    """Returns the result of dict.keys(), values() or items() as a list; other values are returned unchanged."""
    if isinstance(value, (collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)):
        return list(value)
    return value


def raised(kind: Any, value: Any, traceback: Any) -> BaseException:
    """Returns the exception of `raise kind, value, traceback`."""
    if isinstance(value, BaseException):
        error = value
    elif isinstance(kind, BaseException):
        error = kind
    else:
        error = kind() if value is None else kind(*value) if isinstance(value, tuple) else kind(value)
    return error.with_traceback(traceback)


def attribute(value: Any, name: str, module: str) -> Any:
    """Returns `value.name`, also if only Python 2 has it.

    Args:
      value: a module or another object.
      name: the name of the attribute.
      module: the name of the module; "" for other objects.

    Raises:
      AttributeError: `value` has no such attribute in Python 2 either.
    """
    key = (module, name)
    if module and isinstance(value, types.ModuleType):
        if key in names.CHANGED_ATTRIBUTES:
            return _load(names.CHANGED_ATTRIBUTES[key])
        if not hasattr(value, name) and key in names.ATTRIBUTES:
            return _reported(key)
    try:
        return getattr(value, name)
    except AttributeError:
        found = methods.find(value, name) if name in names.METHODS | names.CHANGED_METHODS else None
        if found is None:
            raise
        _report(".{}".format(name), found[1])
        return found[0]


def from_module(module: str, name: str) -> Any:
    """Returns the value that `from module import name` binds in Python 2."""
    return attribute(importlib.import_module(module), name, module)


def _reported(key: Tuple[str, str]) -> Any:
    target = names.ATTRIBUTES[key]
    if target[0] != ":":
        _report(".".join(key), target.replace("builtins:", "").replace(":", "."))
    return _load(target)


@functools.lru_cache(maxsize=None)
def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    found = importlib.import_module(module) if module else sys.modules[__name__]
    return operator.attrgetter(name)(found) if name else found


def _report(name: str, replacement: str) -> None:
    _report_in(user_script.running(), name, replacement)


@functools.lru_cache(maxsize=None)
def _report_in(run: Any, name: str, replacement: str) -> None:
    """Reports a replaced name once per run, at its first use; not if the whole script is Python 2."""
    if run is None or not run.is_python_2:
        user_script.report_replacement(name, replacement)


def string_join(words: Any, sep: str = " ") -> str:
    return sep.join(words)


def maketrans(old: Any, new: Any) -> Any:
    return bytes.maketrans(old, new) if isinstance(old, bytes) else str.maketrans(old, new)


def random_sample(population: Any, k: int) -> List[Any]:
    """random.sample, for any population with a length, arrays and sets too."""
    import random

    has_elements = hasattr(population, "__len__") and not isinstance(population, dict)
    return random.sample(list(population) if has_elements else population, k)


def check_output(*arguments: Any, **keywords: Any) -> Any:
    """subprocess.check_output, which returns a string."""
    from legacy_towers.run.dynamic_imports import subprocess_shim

    output = subprocess_shim.check_output(*arguments, **keywords)
    return output.decode("utf-8", "surrogateescape") if isinstance(output, bytes) else output


def nothing(*arguments: Any, **keywords: Any) -> None:
    """Does nothing, as the functions that Python 3 no longer needs."""


def linux_distribution(*arguments: Any, **keywords: Any) -> Any:
    return ("", "", "")
