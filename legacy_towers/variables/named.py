"""Strategies by their names, as command lines and jobs say them: "balanced", "partitioned:1000000+round_robin", ...

Words joined by "+", the outermost first: each goes around what follows it. What a word needs to know stands after ":".

    parameter_server          ParameterServer("/cpu:0")
    parameter_server:/gpu:0   ParameterServer("/gpu:0")
    round_robin               RoundRobin(the towers' devices)
    round_robin:/cpu:0,/cpu:1 RoundRobin(["/cpu:0", "/cpu:1"])
    balanced                  Balanced(the towers' devices), or as round_robin those that it names
    partitioned               Partitioned(Balanced(the towers' devices))
    partitioned:1000000       Partitioned(Balanced(the towers' devices), max_part_bytes=1000000)
    partitioned+round_robin   Partitioned(RoundRobin(the towers' devices))
    replicated                Replicated()
    replicated:100            Replicated(check_every=100)
    independent:8             Independent(sync_every=8)
    asynchronous              Asynchronous()
    asynchronous+balanced     Asynchronous(Balanced(the towers' devices))
"""
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.names import quoted
from legacy_towers.variables.asynchronous import Asynchronous
from legacy_towers.variables.balanced import Balanced
from legacy_towers.variables.base import Strategy
from legacy_towers.variables.independent import Independent
from legacy_towers.variables.parameter_server import ParameterServer
from legacy_towers.variables.partitioned import Partitioned
from legacy_towers.variables.replicated import Replicated
from legacy_towers.variables.round_robin import RoundRobin


class _Asked(NamedTuple):
    """What stands around a word."""

    argument: Optional[str]  # after its ":"
    devices: List[str]  # the towers', each once
    inner: Optional[Strategy]  # of the words after it


class _Word(NamedTuple):
    make: Callable[[_Asked], Strategy]
    argument: Optional[str] = None  # what may stand after its ":", for messages
    takes_inner: bool = False
    needs_argument: bool = False


def _parameter_server(asked: _Asked) -> Strategy:
    return ParameterServer() if asked.argument is None else ParameterServer(asked.argument)


def _devices(asked: _Asked) -> List[str]:
    return asked.devices if asked.argument is None else asked.argument.split(",")


def _partitioned(asked: _Asked) -> Strategy:
    inner = asked.inner or Balanced(asked.devices)
    return Partitioned(inner) if asked.argument is None else Partitioned(inner, max_part_bytes=_number(asked))


def _replicated(asked: _Asked) -> Strategy:
    return Replicated() if asked.argument is None else Replicated(check_every=_number(asked))


def _independent(asked: _Asked) -> Strategy:
    return Independent(sync_every=_number(asked))


def _asynchronous(asked: _Asked) -> Strategy:
    return Asynchronous(asked.inner)


_WORDS: Dict[str, _Word] = {
    "parameter_server": _Word(_parameter_server, "a device"),
    "round_robin": _Word(lambda asked: RoundRobin(_devices(asked)), "devices with commas between them"),
    "balanced": _Word(lambda asked: Balanced(_devices(asked)), "devices with commas between them"),
    "partitioned": _Word(_partitioned, "the most bytes of a part", takes_inner=True),
    "replicated": _Word(_replicated, "the number of runs between two checks"),
    "independent": _Word(_independent, "the number of steps between two meetings", needs_argument=True),
    "asynchronous": _Word(_asynchronous, takes_inner=True),
}

# What a comparison tries unless told otherwise. Not "partitioned": for variables of the usual size it is "balanced".
STRATEGIES: Tuple[str, ...] = (
    "parameter_server",
    "round_robin",
    "balanced",
    "replicated",
    "independent:8",
    "asynchronous",
)


def check_strategy_name(text: str, option: str) -> None:
    """Raises ArgumentError, which names `option`, unless a strategy can be made of `text`."""
    try:
        make_strategy(text, ["/cpu:0"])
    except UserError as error:
        raise ArgumentError("{}: {}".format(option, error)) from None


def make_strategy(text: str, devices: Sequence[str]) -> Strategy:
    """Returns a strategy by its name.

    Args:
      text: words joined by "+"; see above.
      devices: one device string per tower: where "balanced" and "round_robin" put variables.

    Raises:
      ArgumentError: there is no such strategy, or it can't be around what follows it.
      DeviceError: the name has a device that is none.
    """
    words = [word.partition(":") for word in text.split("+")]
    strategy: Optional[Strategy] = None
    for name, colon, argument in reversed(words):
        if name not in _WORDS:
            raise ArgumentError("there is no strategy {!r}{}: there are {}; words are joined by \"+\"".format(
                name, "" if name == text else " (in {!r})".format(text), quoted(_WORDS, most=len(_WORDS))
            ))
        word = _WORDS[name]
        if (colon and (word.argument is None or not argument)) or (word.needs_argument and not colon):
            raise ArgumentError("the strategy {!r} has {} after {!r}: {}".format(
                text,
                repr(colon + argument) if colon else "nothing",
                name,
                "it takes nothing" if word.argument is None else "give {}, as in {}:...".format(word.argument, name),
            ))
        if strategy is not None and not word.takes_inner:
            raise ArgumentError("the strategy {!r} has words after {!r}: it goes around no other strategy".format(
                text, name
            ))
        strategy = word.make(_Asked(argument if colon else None, list(dict.fromkeys(devices)), strategy))
    assert strategy is not None  # text.split gives one word at least
    return strategy


def _number(asked: _Asked) -> int:
    if asked.argument is None or not asked.argument.isdigit():
        raise ArgumentError("{!r} is no whole number, such as 8 or 1000000".format(asked.argument))
    return int(asked.argument)
