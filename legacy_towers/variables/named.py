"""Creates strategies from specs such as "balanced"; `legacy_towers.specs.strategies` lists their names."""
from typing import Any, Dict, List, Optional, Sequence, Type

from legacy_towers.errors import ArgumentError
from legacy_towers.specs.grammar import is_device
from legacy_towers.specs.strategies import parse_strategy
from legacy_towers.variables import (
    Asynchronous,
    Balanced,
    LocalSGD,
    ParameterServer,
    Partitioned,
    Replicated,
    RoundRobin,
    Strategy,
)

MAKERS: Dict[str, Type[Strategy]] = {
    "parameter_server": ParameterServer,
    "round_robin": RoundRobin,
    "balanced": Balanced,
    "partitioned": Partitioned,
    "replicated": Replicated,
    "local_sgd": LocalSGD,
    "asynchronous": Asynchronous,
}


def make_strategy(text: str, devices: Sequence[str]) -> Strategy:
    """Returns the strategy of a spec.

    Args:
      text: the spec, such as "balanced" or "asynchronous+partitioned:1MiB"; see `legacy_towers.specs.strategies`.
      devices: one device string per tower: "balanced" and "round_robin" use these unless the spec names devices.

    Raises:
      ArgumentError: `text` is not the spec of a strategy.
    """
    tower_devices: List[str] = list(dict.fromkeys(devices))
    strategy: Optional[Strategy] = None
    for call in reversed(parse_strategy(text)):
        options: Dict[str, Any] = dict(call.options)
        if call.name in ("round_robin", "balanced"):
            options.setdefault("devices", tower_devices)
        inner = [] if strategy is None else [strategy]
        if call.name == "partitioned" and not inner:
            inner = [Balanced(tower_devices)]
        make: Any = MAKERS[call.name]
        strategy = make(*inner, **options)
    assert strategy is not None  # a spec has at least one name
    return strategy


def as_strategy(value: Any, devices: Sequence[str], argument: str = "variables") -> Strategy:
    """Returns a strategy unchanged, creates one from a spec, or for None `ParameterServer("/cpu:0")`.

    Args:
      value: a strategy, a spec or None.

    Raises:
      ArgumentError: `value` is none of these.
    """
    if value is None:
        return ParameterServer("/cpu:0")
    if isinstance(value, Strategy):
        return value
    if not isinstance(value, str):
        raise ArgumentError(
            "{} must be a strategy or its name, got {!r}: pass lt.variables.Replicated() or 'replicated', for "
            "example".format(argument, value)
        )
    if is_device(value):
        raise ArgumentError(
            "{0} is {1!r}, a device: pass lt.variables.ParameterServer({1!r}) to keep all variables there".format(
                argument, value
            )
        )
    try:
        return make_strategy(value, devices)
    except ArgumentError as error:
        raise ArgumentError("{}: {}".format(argument, error)) from None
