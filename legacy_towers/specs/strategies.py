"""Specs of variable strategies.

    parameter_server          ParameterServer("/cpu:0")
    parameter_server:/gpu:0   ParameterServer("/gpu:0")
    round_robin               RoundRobin(the towers' devices)
    round_robin:/cpu:0,/cpu:1 RoundRobin(["/cpu:0", "/cpu:1"])
    balanced                  Balanced(the towers' devices), or given ones as for round_robin
    partitioned               Partitioned(Balanced(the towers' devices))
    partitioned:1MiB          Partitioned(Balanced(the towers' devices), max_part_bytes=1048576)
    partitioned+round_robin   Partitioned(RoundRobin(the towers' devices))
    replicated                Replicated()
    replicated:100            Replicated(check_every=100)
    local_sgd:8               LocalSGD(sync_every=8)
    asynchronous              Asynchronous()
    asynchronous+balanced     Asynchronous(Balanced(the towers' devices))
"""
from typing import Any, Tuple

from legacy_towers.specs.grammar import Grammar, Options, Term, Unit, checked, devices, parse, size, whole_number


def _one_device(text: str) -> Options:
    (device,) = devices(text)
    return {"device": device}


_PLACING = ("parameter_server", "round_robin", "balanced")
_DEVICES = Term("devices separated by commas, such as /gpu:0,/gpu:1", lambda text: {"devices": devices(text)})

GRAMMAR = Grammar("strategy", {
    "parameter_server": Term("a device, such as /cpu:0", _one_device),
    "round_robin": _DEVICES,
    "balanced": _DEVICES,
    "partitioned": Term(
        "the size of the largest part, such as 64MiB, 500KB or 65536",
        lambda text: {"max_part_bytes": size(text)},
        wraps=_PLACING,
    ),
    "replicated": Term(
        "the number of runs between two checks, such as 100",
        lambda text: {"check_every": whole_number(text, least=0)},
    ),
    "local_sgd": Term(
        "the number of steps between two averages, such as 8",
        lambda text: {"sync_every": whole_number(text)},
        needs_argument=True,
    ),
    "asynchronous": Term(wraps=_PLACING + ("partitioned",)),
})

# The default candidates of a comparison. Not "partitioned": for variables of the usual size it equals "balanced".
STRATEGIES: Tuple[str, ...] = (
    "parameter_server",
    "round_robin",
    "balanced",
    "replicated",
    "local_sgd:8",
    "asynchronous",
)


def parse_strategy(text: Any) -> Unit:
    """Returns the strategy after its wrappers, the outermost first.

    Raises:
      ArgumentError: `text` is not the spec of a strategy.
    """
    return parse(text, GRAMMAR)[0]


def check_strategy(text: Any, option: str) -> None:
    """Raises ArgumentError, which names `option`, unless `text` is the spec of a strategy."""
    checked(parse_strategy, text, option)
