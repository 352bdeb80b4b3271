"""Strategies by their names, as command lines and jobs say them: "balanced", "partitioned:1MiB+round_robin", ...

Words joined by "+", the outermost first: each goes around what follows it. What a word needs to know stands after ":".

    parameter_server          ParameterServer("/cpu:0")
    parameter_server:/gpu:0   ParameterServer("/gpu:0")
    round_robin               RoundRobin(the towers' devices)
    round_robin:/cpu:0,/cpu:1 RoundRobin(["/cpu:0", "/cpu:1"])
    balanced                  Balanced(the towers' devices), or as round_robin those that it names
    partitioned               Partitioned(Balanced(the towers' devices))
    partitioned:1MiB          Partitioned(Balanced(the towers' devices), max_part_bytes=1048576)
    partitioned+round_robin   Partitioned(RoundRobin(the towers' devices))
    replicated                Replicated()
    replicated:100            Replicated(check_every=100)
    independent:8             Independent(sync_every=8)
    asynchronous              Asynchronous()
    asynchronous+balanced     Asynchronous(Balanced(the towers' devices))
"""
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.byte_sizes import parse_bytes
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.names import no_such_word, wrong_argument
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
    if asked.argument is None:
        return Partitioned(inner)
    return Partitioned(inner, max_part_bytes=parse_bytes(asked.argument))


def _replicated(asked: _Asked) -> Strategy:
    return Replicated() if asked.argument is None else Replicated(check_every=int(asked.argument))


def _independent(asked: _Asked) -> Strategy:
    return Independent(sync_every=int(asked.argument or ""))


def _asynchronous(asked: _Asked) -> Strategy:
    return Asynchronous(asked.inner)


_WORDS: Dict[str, _Word] = {
    "parameter_server": _Word(_parameter_server, "a device"),
    "round_robin": _Word(lambda asked: RoundRobin(_devices(asked)), "devices with commas between them"),
    "balanced": _Word(lambda asked: Balanced(_devices(asked)), "devices with commas between them"),
    "partitioned": _Word(_partitioned, "the size of the largest part, such as 64MiB, 500KB or 65536", takes_inner=True),
    "replicated": _Word(_replicated, "the number of runs between two checks, such as 100"),
    "independent": _Word(_independent, "the number of steps between two meetings, such as 8", needs_argument=True),
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


def check_strategy_name(text: str, option: str, devices: Sequence[str] = ("/cpu:0",)) -> None:
    """Raises ArgumentError, which names `option`, unless a strategy can be made of `text` for towers on `devices`."""
    try:
        make_strategy(text, devices)
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
    strategy: Optional[Strategy] = None
    for part in reversed(text.split("+")):
        name, colon, argument = part.partition(":")
        if name not in _WORDS:
            raise ArgumentError(no_such_word("strategy", part, text, _WORDS))
        word = _WORDS[name]
        if strategy is not None and not word.takes_inner:
            raise ArgumentError("the strategy {!r} has words behind {!r}, which goes around no other strategy".format(
                text, name
            ))
        asked = _Asked(argument or None, list(dict.fromkeys(devices)), strategy)
        try:
            if (colon and not (argument and word.argument)) or (word.needs_argument and not colon):
                raise ValueError
            strategy = word.make(asked)
        except ValueError as error:
            if isinstance(error, UserError):
                raise
            raise ArgumentError(wrong_argument("strategy", part, text, word.argument)) from None
    assert strategy is not None  # text.split gives one word at least
    return strategy
