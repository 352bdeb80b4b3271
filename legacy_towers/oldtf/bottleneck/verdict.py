"""One sentence that says what a step waits for most, with the figures that it is drawn from."""
import os
from typing import Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.oldtf.bottleneck.figures import Figures

# Where the devices together compute less than this many times as long as any of them does, they take turns.
SERIAL = 1.2


class Hottest(NamedTuple):
    """The line of the script that Python was in most often between the runs, and in which share of the looks."""

    path: str
    line: int
    function: str
    share: float


def parts(figures: Figures) -> Dict[str, float]:
    """Returns the parts of a step in milliseconds; together they are the step."""
    return {
        "waiting for input": figures.waiting,
        "computing": figures.computing,
        "making arrays of feeds": figures.converting,
        "around the ops": figures.rest,
        "other session runs": figures.other,
        "Python between runs": figures.python,
    }


def verdict(figures: Figures, hottest: Optional[Hottest] = None) -> str:
    """Returns the sentence."""
    found = parts(figures)
    largest = max(found, key=lambda name: found[name])
    share = "{:.0%} of a step ({:.3g} of {:.3g} ms)".format(
        found[largest] / figures.step, found[largest], figures.step
    )
    return _SENTENCES[largest](share, figures, hottest)


def _waiting(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    return "{} waits for input at {}: input that is always ready would make the script {} times as fast".format(
        share, _at(figures.pulls), _faster(figures, figures.waiting)
    )


def _computing(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    busy = sum(figures.devices.values())
    named = ", ".join("{} {:.0%}".format(device, time / figures.run) for device, time in figures.devices.items()
                      if time >= 0.005 * figures.run)
    if len(figures.devices) > 1 and busy < SERIAL * figures.computing:
        return "{} computes, and the devices do so one after the other ({} of a run): they wait for each other".format(
            share, named
        )
    return "{} computes ({} of a run): the input is not what holds the script up, it is waited for in {:.1%} of a " \
        "step".format(share, named, figures.waiting / figures.step)


def _converting(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    made = [feed.tensor for feed in figures.feeds if feed.converted]
    return "{} makes arrays of what is fed to {}: feed numpy arrays of the placeholder's own dtype, and the script " \
        "is {} times as fast".format(share, _some(made), _faster(figures, figures.converting))


def _rest(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    copied = sum(feed.size for feed in figures.feeds if feed.copied)
    fed = ", {:.3g} MB of feeds copied among them".format(copied / 1e6) if copied > 1e5 else ""
    return "{} is TensorFlow's work around the ops (to begin and end a run{}): larger batches, or fewer and larger " \
        "ops, would help more than faster input".format(share, fed)


def _other(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    names, time = figures.others[0]
    return "{} is other session runs, {:.3g} ms of it the one that fetches {}: fetch it together with the step, or " \
        "less often".format(share, time, _some(names))


def _python(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    where = ""
    if hottest is not None:
        where = ", {:.0%} of it at {}:{} ({})".format(
            hottest.share, os.path.basename(hottest.path), hottest.line, hottest.function
        )
    return "{} is Python between the session runs{}: done in the background, the script would be {} times as " \
        "fast".format(share, where, _faster(figures, figures.python))


_Sentence = Callable[[str, Figures, Optional[Hottest]], str]
_SENTENCES: Dict[str, _Sentence] = {
    "waiting for input": _waiting,
    "computing": _computing,
    "making arrays of feeds": _converting,
    "around the ops": _rest,
    "other session runs": _other,
    "Python between runs": _python,
}


def _faster(figures: Figures, without: float) -> str:
    return "{:.3g}".format(figures.step / max(1e-9, figures.step - without))


def _at(pulls: Sequence[Tuple[str, float]]) -> str:
    return _some([name for name, _ in pulls])


def _some(names: Sequence[str], most: int = 2) -> str:
    shown = ", ".join(names[:most])
    return shown + (" and {} more".format(len(names) - most) if len(names) > most else "")
