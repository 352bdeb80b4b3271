"""Parses specs: names joined by "+", a wrapper before what it wraps, the argument of a name after ":".

    staged+dataset:sharded            an input pipeline
    asynchronous+partitioned:1MiB     a strategy for variables
    bucketed:8MiB+tree+scale:0.5      a reduction: a chain, whose first member is bucketed:8MiB+tree
"""
import math
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import did_you_mean, quoted

Options = Dict[str, Any]
_DEVICE = re.compile(
    r"/?((job:[\w.\-]+|replica:\d+|task:\d+|(device:)?(cpu|gpu|tpu|xla_cpu|xla_gpu)(:(\d+|\*))?|"
    r"device:\w+:(\d+|\*))/?)+",
    re.IGNORECASE,
)
_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Term(NamedTuple):
    """One name that a spec may contain.

    Attributes:
      takes: the argument after ":", described for messages; None if the name takes no argument.
      convert: returns keyword arguments for the text after ":"; raises ValueError or KeyError for invalid text.
      needs_argument: whether the argument is required.
      wraps: the names that may follow a wrapper; () if the name is not a wrapper.
      needs_inner: whether one of `wraps` must follow; otherwise the wrapper alone wraps a default.
    """

    takes: Optional[str] = None
    convert: Callable[[str], Options] = lambda text: {}
    needs_argument: bool = False
    wraps: Tuple[str, ...] = ()
    needs_inner: bool = False


class Grammar(NamedTuple):
    """The names of one kind of spec.

    Attributes:
      kind: what a spec names, for messages: "reduction".
      terms: name -> Term.
      is_chain: whether a spec may have several units.
    """

    kind: str
    terms: Dict[str, Term]
    is_chain: bool = False


class Call(NamedTuple):
    """A name in a spec, with the keyword arguments parsed from the text after its ":"."""

    name: str
    options: Options
    text: str  # as given


# A name, after the wrappers around it; the outermost wrapper is first.
Unit = List[Call]


def parse(text: Any, grammar: Grammar) -> List[Unit]:
    """Returns the units of a spec: one, or those of a chain.

    Raises:
      ArgumentError: `text` is not a string, or has an unknown name, an invalid argument after ":", or a name that
        can't follow the one before it.
    """
    if not isinstance(text, str):
        raise ArgumentError("the {} must be a string, got {!r}".format(grammar.kind, text))
    units: List[Unit] = []
    parts = text.split("+")
    if "" in parts:  # before errors about the other parts
        raise ArgumentError(_unknown("", text, grammar))
    for part in parts:
        call = _call(part, text, grammar)
        wraps = grammar.terms[units[-1][-1].name].wraps if units else ()
        if call.name in wraps:
            units[-1].append(call)
        elif units and not grammar.is_chain:
            raise ArgumentError(_cannot_follow(units[-1][-1], call, text, grammar))
        else:
            units.append([call])
    for unit in units:
        last = grammar.terms[unit[-1].name]
        if last.needs_inner:
            raise ArgumentError("the {} {!r}: {!r} is a wrapper and needs what it wraps after it, as in '{}+{}'".format(
                grammar.kind, text, unit[-1].name, unit[-1].text, last.wraps[0]
            ))
    return units


def _call(part: str, text: str, grammar: Grammar) -> Call:
    name, colon, argument = part.partition(":")
    if name not in grammar.terms:
        raise ArgumentError(_unknown(part, text, grammar))
    term = grammar.terms[name]
    if not colon and not term.needs_argument:
        return Call(name, {}, part)
    try:
        if term.takes is not None and argument:
            return Call(name, term.convert(argument), part)
    except (ValueError, KeyError):
        pass
    within = "" if part == text else " (in {!r})".format(text)
    problem = "the {} {!r}{}".format(grammar.kind, part, within)
    if term.takes is None:
        raise ArgumentError('{}: {!r} takes no ":"'.format(problem, name))
    raise ArgumentError('{}: after ":", {!r} takes {}'.format(problem, name, term.takes))


def _unknown(part: str, text: str, grammar: Grammar) -> str:
    name = part.partition(":")[0]
    if not part:
        where = _empty_side(text) if text else "is empty"
        problem = "the {} {!r} {}".format(grammar.kind, text, where)
    else:
        within = "" if name == text else " (in {!r})".format(text)
        problem = "there is no {} {!r}{}{}".format(grammar.kind, name, within, did_you_mean(name, grammar.terms))
    known = quoted(grammar.terms, most=len(grammar.terms))
    if problem.endswith("?"):
        return "{} The names are {}".format(problem, known)
    return '{}: the names are {}; join a wrapper and what it wraps by "+"'.format(problem, known)


def _empty_side(text: str) -> str:
    if text.endswith("+"):
        return 'ends in "+"'
    return 'begins with "+"' if text.startswith("+") else 'has no name between two "+"'


def _cannot_follow(before: Call, call: Call, text: str, grammar: Grammar) -> str:
    wraps = grammar.terms[before.name].wraps
    allowed = "wraps {}".format(quoted(wraps, most=len(wraps))) if wraps else "wraps nothing"
    problem = "the {} {!r}: {!r} can't follow {!r}, which {}".format(
        grammar.kind, text, call.name, before.name, allowed
    )
    if before.name in grammar.terms[call.name].wraps:
        return "{}; a wrapper comes first: {!r}".format(problem, "{}+{}".format(call.text, before.text))
    return problem


def checked(function: Callable[..., Any], text: Any, option: str) -> None:
    """Calls `function(text)` and prefixes the message of an ArgumentError with the command line's `option`."""
    try:
        function(text)
    except ArgumentError as error:
        raise ArgumentError("{}: {}".format(option, error)) from None


def is_device(text: str) -> bool:
    """Returns whether `text` is spelled like a TensorFlow device, such as "/gpu:0" or "/job:ps/task:1/cpu:0"."""
    return _DEVICE.fullmatch(text) is not None


def devices(text: str) -> List[str]:
    """Returns the devices of a comma-separated text.

    Raises:
      ValueError: one is not spelled like a device, or does not begin with "/".
    """
    found = text.split(",")
    if not all(each.startswith("/") and is_device(each) for each in found):
        raise ValueError(text)
    return found


def size(text: str) -> int:
    """Returns the number of bytes of 65536, 500KB or 8MiB.

    Raises:
      ValueError: the text is not a number of bytes of at least 1.
    """
    return _at_least(1, parse_bytes(text))


def whole_number(text: str, least: int = 1) -> int:
    """Returns the whole number that `text` is.

    Raises:
      ValueError: the text is not a whole number of at least `least`.
    """
    return _at_least(least, int(text))


def numbers(text: str, most: int, infinite: bool = False) -> List[float]:
    """Returns the numbers of a comma-separated text.

    Raises:
      ValueError: the text is not one to `most` numbers, one is NaN, or one is infinite and `infinite` is False.
    """
    found = [float(each) for each in text.split(",")]
    if len(found) > most or any(math.isnan(each) or math.isinf(each) and not infinite for each in found):
        raise ValueError(text)
    return found


def positive(values: Sequence[float]) -> Sequence[float]:
    """Returns `values`; raises ValueError unless all are above 0."""
    if not all(value > 0 for value in values):
        raise ValueError(values)
    return values


def _at_least(least: int, number: int) -> int:
    if number < least:
        raise ValueError(number)
    return number


def parse_bytes(text: str) -> int:
    """Returns the number of bytes for a whole number with an optional unit, such as "65536", "500KB" or "8MiB".

    Raises:
      ValueError: the text is not a number of bytes.
    """
    found = re.match(r"(\d+)\s*([KMG]i?B)?$", text)
    if found is None:
        raise ValueError("{!r} is not a number of bytes, such as 65536, 500KB or 8MiB".format(text))
    return int(found.group(1)) * _UNITS[found.group(2) or ""]
