"""Names the largest part of a step in one sentence, with its figures and what to change."""
import os
from typing import Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.run.bottleneck.figures import Figures


class Hottest(NamedTuple):
    """A line of the script that Python executes between session runs.

    Attributes:
      path: path of the file.
      line: line in the file, from 1.
      function: name of the function.
      share: share of the samples between session runs, 0 to 1.
    """

    path: str
    line: int
    function: str
    share: float


def parts(figures: Figures) -> Dict[str, float]:
    """Returns the parts of a step in milliseconds; they sum to the step."""
    return {
        "waiting for input": figures.waiting,
        "computing": figures.computing,
        "converting feeds to arrays": figures.converting,
        "TensorFlow's overhead": figures.rest,
        "other session runs": figures.other,
        "Python between runs": figures.python,
    }


def verdict(figures: Figures, hottest: Optional[Hottest] = None) -> str:
    """Returns the sentence.

    Args:
      figures: the parts of a step.
      hottest: the most frequent line between session runs; None if no line was sampled.
    """
    found = parts(figures)
    largest = max(found, key=lambda name: found[name])
    share = "{:.0%} of a step ({:.3g} of {:.3g} ms)".format(
        found[largest] / figures.step, found[largest], figures.step
    )
    return _SENTENCES[largest](share, figures, hottest)


def _waiting(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    return "{} waits for input at {}: with input that is always ready, the script is {} times as fast".format(
        share, _at(figures.input_ops), _faster(figures, figures.waiting)
    )


def _computing(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    named = ", ".join("{} {:.0%}".format(device, time / figures.run) for device, time in figures.devices.items()
                      if time >= 0.005 * figures.run)
    if figures.is_serial:
        return "{} computes, but the devices compute one after the other ({} of a run): {}".format(
            share, named, figures.serial or "they wait for each other")
    return "{} computes ({} of a run): the input is not the bottleneck, the step waits for it {:.1%} of the time" \
        .format(share, named, figures.waiting / figures.step)


def _converting(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    made = [feed.tensor for feed in figures.feeds if feed.converted]
    return "{} converts the values fed to {} to arrays: if they are NumPy arrays of the placeholder's dtype, the " \
        "script is {} times as fast".format(share, _some(made), _faster(figures, figures.converting))


def _rest(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    copied = sum(feed.size for feed in figures.feeds if feed.copied)
    fed = ", and to copy {:.3g} MB of feeds".format(copied / 1e6) if copied > 1e5 else ""
    return "{} is TensorFlow's overhead (to start and end a run{}): larger batches, or fewer and larger ops, help " \
        "more than faster input".format(share, fed)


def _other(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    names, time = figures.others[0]
    return "{} is other session runs, {:.3g} ms of it the run that fetches {}: fetch it in the step's run, or less " \
        "often".format(share, time, _some(names))


def _python(share: str, figures: Figures, hottest: Optional[Hottest]) -> str:
    where = ""
    if hottest is not None:
        where = ", {:.0%} of it at {}:{} ({})".format(
            hottest.share, os.path.basename(hottest.path), hottest.line, hottest.function
        )
    return "{} is Python between the session runs{}: if that runs in a background thread, the script is {} times " \
        "as fast".format(share, where, _faster(figures, figures.python))


_Sentence = Callable[[str, Figures, Optional[Hottest]], str]
_SENTENCES: Dict[str, _Sentence] = {
    "waiting for input": _waiting,
    "computing": _computing,
    "converting feeds to arrays": _converting,
    "TensorFlow's overhead": _rest,
    "other session runs": _other,
    "Python between runs": _python,
}


def _faster(figures: Figures, without: float) -> str:
    return "{:.3g}".format(figures.step / max(1e-9, figures.step - without))


def _at(input_ops: Sequence[Tuple[str, float]]) -> str:
    return _some([name for name, _ in input_ops])


def _some(names: Sequence[str], most: int = 2) -> str:
    shown = ", ".join(names[:most])
    return shown + (" and {} more".format(len(names) - most) if len(names) > most else "")
