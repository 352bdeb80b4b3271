"""Specs of learning-rate schedules: a name, then the rate and options.

    constant:0.1                               constant(step, 0.1)
    piecewise:0.1,0.01@1000,0.001@2000         piecewise(step, [0.1, 0.01, 0.001], [1000, 2000])
    step:0.1,decay=0.5,every=200               step_decay(step, 0.1, decay=0.5, every=200)
    exponential:0.1,decay=0.5,every=200        exponential(step, 0.1, decay=0.5, every=200)
    polynomial:0.1,steps=1000,power=2          polynomial(step, 0.1, steps=1000, power=2.0)
    cosine:0.1,steps=1000,end=0.001            cosine(step, 0.1, steps=1000, end=0.001)
    cosine_restarts:0.1,steps=100,factor=2     cosine_restarts(step, 0.1, steps=100, factor=2.0)
    inverse_sqrt:0.1,warmup=4000               inverse_sqrt(step, 0.1, warmup=4000)

Each takes warmup=STEPS, warmup_from=RATE, and scale=towers, which multiplies the rates by the number of towers.
"""
import math
from typing import Any, Callable, Dict, List, NamedTuple

from legacy_towers.errors import ArgumentError
from legacy_towers.specs.grammar import Grammar, Options, Term, parse


class ScheduleSpec(NamedTuple):
    """A parsed spec.

    Attributes:
      name: the name in the spec.
      options: arguments of the function of `legacy_towers.schedules`, without the step.
      scales_by_towers: whether the rates are to be multiplied by the number of towers.
    """

    name: str
    options: Options
    scales_by_towers: bool

    def scaled(self, towers: int) -> Options:
        """Returns the arguments for a number of towers; `warmup_from` stays as it is."""
        if not self.scales_by_towers:
            return self.options
        by = {
            name: [rate * towers for rate in value] if isinstance(value, list) else value * towers
            for name, value in self.options.items() if name in ("rate", "rates", "end")
        }
        return dict(self.options, **by)


def _rate(text: str) -> float:
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


def _above_zero(text: str) -> float:
    value = _rate(text)
    if not value > 0:
        raise ValueError(text)
    return value


def _at_least_one(text: str) -> float:
    value = _rate(text)
    if value < 1:
        raise ValueError(text)
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _towers(text: str) -> str:
    if text != "towers":
        raise ValueError(text)
    return text


_COMMON: Dict[str, Callable[[str], Any]] = {"warmup": _count, "warmup_from": _rate, "scale": _towers}
_COMMON_HELP = "warmup=STEPS, warmup_from=RATE and scale=towers"


def _term(needed: Dict[str, Callable[[str], Any]], optional: Dict[str, Callable[[str], Any]]) -> Term:
    """Returns the term of a schedule with one rate."""

    def convert(text: str) -> Options:
        rate, *rest = text.split(",")
        options = _assignments(rest, {**needed, **optional, **_COMMON})
        if not set(needed) <= set(options):
            raise ValueError(text)
        return _checked(dict(options, rate=_rate(rate)))

    takes = ["RATE"] + ["{}=NUMBER".format(name) for name in needed]
    also = ", ".join(["{}=NUMBER".format(name) for name in optional] + [_COMMON_HELP])
    return Term("{}, and may take {}".format(",".join(takes), also), convert, needs_argument=True)


def _piecewise(text: str) -> Options:
    first, *rest = text.split(",")
    pairs = [each.split("@") for each in rest if "=" not in each]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(text)
    rates = [_rate(first)] + [_rate(rate) for rate, _ in pairs]
    boundaries = [_count(step) for _, step in pairs]
    if not boundaries or boundaries != sorted(set(boundaries)):
        raise ValueError(text)
    options = _assignments([each for each in rest if "=" in each], _COMMON)
    return _checked(dict(options, rates=rates, boundaries=boundaries))


def _assignments(parts: List[str], known: Dict[str, Callable[[str], Any]]) -> Options:
    options: Options = {}
    for part in parts:
        name, _, value = part.partition("=")
        if name in options:
            raise ValueError(part)
        options[name] = known[name](value)
    return options


def _checked(options: Options) -> Options:
    if "warmup_from" in options and "warmup" not in options:
        raise ValueError("warmup_from without warmup")
    end = options.get("steps")
    if end is not None and options.get("warmup", 0) >= end:
        raise ValueError("the warm-up takes all steps")
    return options


GRAMMAR = Grammar("schedule", {
    "constant": _term({}, {}),
    "piecewise": Term(
        "RATE,RATE@STEP,..., with rising steps, and may take " + _COMMON_HELP, _piecewise, needs_argument=True
    ),
    "step": _term({"decay": _above_zero, "every": _count}, {}),
    "exponential": _term({"decay": _above_zero, "every": _count}, {}),
    "polynomial": _term({"steps": _count}, {"end": _rate, "power": _above_zero}),
    "cosine": _term({"steps": _count}, {"end": _rate}),
    "cosine_restarts": _term({"steps": _count}, {"end": _rate, "factor": _at_least_one, "decay": _above_zero}),
    "inverse_sqrt": _term({}, {}),
})


def parse_schedule(text: Any) -> ScheduleSpec:
    """Returns the schedule that a spec names.

    Raises:
      ArgumentError: `text` is not the spec of a schedule.
    """
    ((call,),) = parse(text, GRAMMAR)
    options = dict(call.options)
    scale = options.pop("scale", None)
    if call.name == "inverse_sqrt" and "warmup" not in options:
        raise ArgumentError("the schedule {!r}: 'inverse_sqrt' decays from the end of its warm-up: give warmup=STEPS, "
                            "as in 'inverse_sqrt:0.1,warmup=4000'".format(text))
    return ScheduleSpec(call.name, options, scale is not None)
