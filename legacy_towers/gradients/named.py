"""Reductions by their names, as command lines and jobs say them: "mean", "packed:8MiB+tree", "clip_by_norm:1+mean", ...

Words joined by "+", which make a chain in the order written. What a word needs to know stands after ":".

One of them makes the towers' gradients one:

    mean                            mean()
    mean:variable                   mean(on="variable"); or a device, or several with commas between them
    sum, sum:variable               sum(), as mean
    tree, tree:variable             tree(), as mean
    collective                      collective()
    nccl                            nccl()

A word that goes around such a one goes around what follows it, and around mean() if nothing of the kind does:

    packed                          packed()
    packed:8MiB+tree                packed(tree(), bucket_bytes=8388608)
    compacted                       compacted()
    compacted:bfloat16+packed       compacted(packed(), dtype=tf.bfloat16)

The others act on each tower's gradients where they stand in front of it, on the one result behind it:

    clip_by_norm:1+mean             chain(clip_by_norm(1.0), mean())
    mean+clip_by_global_norm:5      chain(mean(), clip_by_global_norm(5.0))
    dynamic_loss_scale+compacted+check_numerics+accumulate:4
"""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.byte_sizes import parse_bytes
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.gradients.accumulate import accumulate
from legacy_towers.gradients.add_n import mean, sum
from legacy_towers.gradients.base import Reduction
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.clip import clip_by_global_norm, clip_by_norm, clip_by_value
from legacy_towers.gradients.collective import collective
from legacy_towers.gradients.compacted import compacted
from legacy_towers.gradients.deferred import deferred
from legacy_towers.gradients.densify import densify
from legacy_towers.gradients.loss_scale import dynamic_loss_scale, loss_scale
from legacy_towers.gradients.missing import ON_MISSING, missing
from legacy_towers.gradients.nccl import nccl
from legacy_towers.gradients.noise import add_noise
from legacy_towers.gradients.numerics import check_numerics
from legacy_towers.gradients.packed import packed
from legacy_towers.gradients.scale import scale
from legacy_towers.gradients.tree import tree
from legacy_towers.names import no_such_word, quoted, wrong_argument

# What a word is: it makes the towers' gradients one, goes around one that does, or is a member of its own.
REDUCING, AROUND, MEMBER = "reducing", "around", "member"


class _Word(NamedTuple):
    kind: str
    make: Callable[..., Reduction]  # AROUND: the first argument is the reduction inside
    argument: Optional[str] = None  # what may stand after ":", for messages; None: nothing
    convert: Callable[[str], Dict[str, Any]] = lambda text: {}  # from that to keywords of `make`
    needs_argument: bool = False


def _places(text: str) -> Dict[str, Any]:
    places = text.split(",")
    if text != "variable" and not all(place.startswith("/") for place in places):
        raise ValueError
    return {"on": places if len(places) > 1 else text}


def _size(text: str) -> Dict[str, Any]:
    return {"bucket_bytes": parse_bytes(text)}


def _dtype(text: str) -> Dict[str, Any]:
    return {"dtype": {"float16": tf.float16, "bfloat16": tf.bfloat16}[text]}


def _numbers(*names: str) -> Callable[[str], Dict[str, Any]]:
    """Returns what takes numbers with commas between them apart, the first of `names` at least."""

    def convert(text: str) -> Dict[str, Any]:
        values = [float(each) for each in text.split(",")]
        if len(values) > len(names):
            raise ValueError
        return dict(zip(names, values))

    return convert


def _number_word(make: Callable[..., Reduction], name: str, such_as: str) -> _Word:
    return _Word(MEMBER, make, "a number, such as {}".format(such_as), _numbers(name), needs_argument=True)


_ON = "'variable', or devices with commas between them"
_WORDS: Dict[str, _Word] = {
    "mean": _Word(REDUCING, mean, _ON, _places),
    "sum": _Word(REDUCING, sum, _ON, _places),
    "tree": _Word(REDUCING, tree, _ON, _places),
    "collective": _Word(REDUCING, collective),
    "nccl": _Word(REDUCING, nccl),
    "packed": _Word(AROUND, packed, "a bucket's size, such as 4MiB, 500KB or 65536", _size),
    "compacted": _Word(AROUND, compacted, "float16 or bfloat16", _dtype),
    "missing": _Word(
        MEMBER, missing, "one of " + quoted(ON_MISSING), lambda text: {"on_missing": text}, needs_argument=True
    ),
    "densify": _Word(MEMBER, densify),
    "clip_by_value": _Word(
        MEMBER,
        clip_by_value,
        "the lowest and the highest value, such as -1,1",
        lambda text: dict(zip(("low", "high"), (float(each) for each in _two(text)))),
        needs_argument=True,
    ),
    "clip_by_norm": _number_word(clip_by_norm, "norm", "1.0"),
    "clip_by_global_norm": _number_word(clip_by_global_norm, "norm", "5.0"),
    "scale": _number_word(scale, "factor", "0.5"),
    "add_noise": _Word(
        MEMBER,
        add_noise,
        "a standard deviation, such as 0.1, or that and how fast it fades, such as 0.1,0.55",
        _numbers("stddev", "gamma"),
        needs_argument=True,
    ),
    "check_numerics": _Word(MEMBER, check_numerics),
    "loss_scale": _number_word(loss_scale, "constant", "1024"),
    "dynamic_loss_scale": _Word(
        MEMBER, dynamic_loss_scale, "the first scale, such as 32768", _numbers("initial")
    ),
    "accumulate": _Word(
        MEMBER, accumulate, "a number of steps, such as 4", lambda text: {"steps": int(text)}, needs_argument=True
    ),
    "deferred": _Word(MEMBER, deferred),
}

# What a comparison tries unless told otherwise: the same numbers, up to rounding, on any machine.
REDUCTIONS: Tuple[str, ...] = (
    "mean",
    "mean:variable",
    "tree",
    "packed",
    "packed+tree",
    "compacted:float16",
    "compacted:float16+packed",
    "collective",
    "packed+collective",
)


def check_reduction(text: str, option: str) -> None:
    """Raises ArgumentError, which names `option`, unless a reduction can be made of `text`."""
    try:
        make_reduction(text)
    except UserError as error:
        raise ArgumentError("{}: {}".format(option, error)) from None


def make_reduction(text: str) -> Reduction:
    """Returns a reduction by its name.

    Args:
      text: words joined by "+"; see above.

    Raises:
      ArgumentError: there is no such word, it can't have what stands behind its ":", or not exactly one of them makes
        the towers' gradients one.
    """
    units = _units([_parsed(part, text) for part in text.split("+")])
    reducing = ["+".join(asked.text for asked in unit) for unit in units if unit[0].word.kind != MEMBER]
    if len(reducing) != 1:
        raise ArgumentError(
            "the reduction {!r} has {} that makes the towers' gradients one{}: let it have exactly one of {}; {} go "
            "around the one right behind them".format(
                text,
                "nothing" if not reducing else "more than one thing",
                "" if not reducing else " ({})".format(quoted(reducing)),
                quoted(_of_kind(REDUCING), most=len(_WORDS)),
                quoted(_of_kind(AROUND)),
            )
        )
    members = [_reduction(unit) for unit in units]
    return members[0] if len(members) == 1 else chain(*members)


class _Asked(NamedTuple):
    text: str  # as it was written
    word: _Word
    options: Dict[str, Any]  # from what stands behind its ":"


def _parsed(part: str, text: str) -> _Asked:
    name, colon, argument = part.partition(":")
    if name not in _WORDS:
        raise ArgumentError(no_such_word("reduction", part, text, _WORDS))
    word = _WORDS[name]
    if not colon and not word.needs_argument:
        return _Asked(part, word, {})
    try:
        if word.argument is not None and argument:
            return _Asked(part, word, word.convert(argument))
    except (ValueError, KeyError):
        pass
    raise ArgumentError(wrong_argument("reduction", part, text, word.argument))


def _units(words: Sequence[_Asked]) -> List[List[_Asked]]:
    """Returns the members of the chain: a word by itself, or one that makes gradients one with those around it."""
    units: List[List[_Asked]] = []
    for asked in words:
        goes_inside = units and units[-1][-1].word.kind == AROUND and asked.word.kind != MEMBER
        if not goes_inside:
            units.append([])
        units[-1].append(asked)
    return units


def _reduction(unit: Sequence[_Asked]) -> Reduction:
    made: Optional[Reduction] = None
    for asked in reversed(unit):
        inside = [made or mean()] if asked.word.kind == AROUND else []
        made = asked.word.make(*inside, **asked.options)
    assert made is not None  # a unit has one word at least
    return made


def _two(text: str) -> List[str]:
    low, high = text.split(",")
    return [low, high]


def _of_kind(kind: str) -> List[str]:
    return [name for name, word in _WORDS.items() if word.kind == kind]
