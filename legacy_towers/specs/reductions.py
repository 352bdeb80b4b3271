"""Specs of gradient reductions: a chain of names, applied in the order given.

One member reduces the towers' gradients:

    mean                            mean()
    mean:variable                   mean(on="variable"); or a device, or several separated by commas
    sum, sum:variable               sum(), as mean
    tree, tree:variable             tree(), as mean
    collective                      collective()
    nccl                            nccl()

A wrapper applies to the reduction that follows it, or to mean() if none follows:

    bucketed                        bucketed()
    bucketed:8MiB+tree              bucketed(tree(), bucket_bytes=8388608)
    compressed                      compressed()
    compressed:bfloat16+bucketed    compressed(bucketed(), dtype=tf.bfloat16)

A transform before the reduction applies to each tower's gradients, a transform after it to the reduced gradients:

    clip_by_norm:1+mean             chain(clip_by_norm(1.0), mean())
    mean+clip_by_global_norm:5      chain(mean(), clip_by_global_norm(5.0))
    dynamic_loss_scale+compressed+check_numerics+accumulate:4
"""
from typing import Any, Callable, List, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.specs.grammar import (
    Grammar,
    Options,
    Term,
    Unit,
    checked,
    devices,
    numbers,
    parse,
    positive,
    size,
    whole_number,
)
from legacy_towers.text.names import quoted

# The policies for missing gradients; see `lt.gradients.missing`.
ON_MISSING: Tuple[str, ...] = ("error", "zeros", "drop")

_REDUCING = ("mean", "sum", "tree", "collective", "nccl")
_WRAPPERS = ("bucketed", "compressed")


def _on(text: str) -> Options:
    if text == "variable":
        return {"on": text}
    found = devices(text)
    return {"on": found if len(found) > 1 else text}


def _dtype(text: str) -> Options:
    if text not in ("float16", "bfloat16"):
        raise ValueError(text)
    return {"dtype": text}


def _on_missing(text: str) -> Options:
    if text not in ON_MISSING:
        raise ValueError(text)
    return {"on_missing": text}


def _low_high(text: str) -> Options:
    low, high = numbers(text, most=2, infinite=True)
    if low > high:
        raise ValueError(text)
    return {"low": low, "high": high}


def _positive(*names: str, infinite: bool = False) -> Callable[[str], Options]:
    return lambda text: dict(zip(names, positive(numbers(text, len(names), infinite))))


def _first_scale(text: str) -> Options:
    (scale,) = numbers(text, most=1)
    if scale < 1:
        raise ValueError(text)
    return {"initial": scale}


_SUM = Term("'variable', or devices separated by commas, such as /gpu:0,/gpu:1", _on)

GRAMMAR = Grammar("reduction", {
    "mean": _SUM,
    "sum": _SUM,
    "tree": _SUM,
    "collective": Term(),
    "nccl": Term(),
    "bucketed": Term(
        "a bucket's size, such as 4MiB, 500KB or 65536",
        lambda text: {"bucket_bytes": size(text)},
        wraps=_REDUCING + _WRAPPERS,
    ),
    "compressed": Term("float16 or bfloat16", _dtype, wraps=_REDUCING + _WRAPPERS),
    "missing": Term("one of " + quoted(ON_MISSING), _on_missing, needs_argument=True),
    "densify": Term(),
    "clip_by_value": Term("the lowest and the highest value, such as -1,1", _low_high, needs_argument=True),
    "clip_by_norm": Term("a number above 0, such as 1.0", _positive("norm", infinite=True), needs_argument=True),
    "clip_by_global_norm": Term("a number above 0, such as 5.0", _positive("norm", infinite=True), needs_argument=True),
    "scale": Term("a number, such as 0.5", lambda text: {"factor": numbers(text, most=1)[0]}, needs_argument=True),
    "add_noise": Term(
        "a standard deviation, such as 0.1, or a standard deviation and its decay, such as 0.1,0.55, all above 0",
        _positive("stddev", "gamma"),
        needs_argument=True,
    ),
    "check_numerics": Term(),
    "loss_scale": Term("a number above 0, such as 1024", _positive("constant"), needs_argument=True),
    "dynamic_loss_scale": Term("the first scale, at least 1, such as 32768", _first_scale),
    "accumulate": Term(
        "a number of steps, such as 4", lambda text: {"steps": whole_number(text)}, needs_argument=True
    ),
    "delayed": Term(),
}, is_chain=True)


# The default candidates of a comparison: their results are equal up to rounding, and they run on any machine.
REDUCTIONS: Tuple[str, ...] = (
    "mean",
    "mean:variable",
    "tree",
    "bucketed",
    "bucketed+tree",
    "compressed:float16",
    "compressed:float16+bucketed",
    "collective",
    "bucketed+collective",
)


def parse_reduction(text: Any) -> List[Unit]:
    """Returns the members of the chain.

    Raises:
      ArgumentError: `text` is not the spec of a reduction, or not exactly one member reduces the towers' gradients.
    """
    units = parse(text, GRAMMAR)
    reducing = ["+".join(call.text for call in unit) for unit in units if unit[0].name in _REDUCING + _WRAPPERS]
    if len(reducing) != 1:
        raise ArgumentError(
            "the reduction {!r} has {} that reduces the towers' gradients to one{}: it needs exactly one of {}; {} "
            "wrap the one that follows them".format(
                text,
                "more than one member" if reducing else "no member",
                " ({})".format(quoted(reducing)) if reducing else "",
                quoted(_REDUCING),
                quoted(_WRAPPERS),
            )
        )
    return units


def check_reduction(text: Any, option: str) -> None:
    """Raises ArgumentError, which names `option`, unless `text` is the spec of a reduction."""
    checked(parse_reduction, text, option)
