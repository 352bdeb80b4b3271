"""The best checkpoint of a directory by a metric, remembered in a file of its own."""
import math
import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional

from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.text.names import quoted
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.marks import replace_file
from legacy_towers.training.checkpoints.newest import list_checkpoints, require_newest
from legacy_towers.training.checkpoints.sealed import seal, unseal
from legacy_towers.training.checkpoints.verify import damage
from legacy_towers.training.formatting import format_number

BEST_FILE = "best_checkpoint.json"


class Best(NamedTuple):
    """The best checkpoint so far.

    Attributes:
      by: the direction and the metric, such as "max:accuracy".
      value: the value of the metric.
      step: the global step.
      checkpoint: its name in the directory.
    """

    by: str
    value: float
    step: int
    checkpoint: str

    def described(self, directory: str) -> str:
        """Returns its prefix and its value, such as "run/model.ckpt-900 (accuracy 0.9889)"."""
        prefix = os.path.join(directory, self.checkpoint)
        return "{} ({} {})".format(prefix, self.by.partition(":")[2], format_number(self.value))


def read_best(directory: str, by: Optional[str]) -> Optional[Best]:
    """Returns the best checkpoint by "max:METRIC" or "min:METRIC", or, where `by` is None, by whatever it was chosen.

    Returns None if there is none, or its file is damaged.
    """
    path = os.path.join(directory, BEST_FILE)
    if not files.exists(path):
        return None
    try:
        values = unseal(files.read(path))
        best = Best(str(values["by"]), float(values["value"]), int(values["step"]), str(values["checkpoint"]))
    except (ValueError, KeyError, TypeError, OverflowError):  # int() of an infinity overflows
        return None
    name = best.checkpoint
    is_there = name == os.path.basename(name) and files.exists(os.path.join(directory, name + ".index"))
    return best if by in (None, best.by) and is_there else None


def chosen_checkpoint(directory: str, best: bool) -> str:
    """Returns the prefix of the newest valid checkpoint of a directory, or of the best one.

    Raises:
      JobError: there is none, or the best one is damaged.
    """
    if not best:
        return require_newest(directory)
    found = read_best(directory, None)
    if found is None:
        raise JobError("there is no best checkpoint in {!r}: train with --keep-best, as in --keep-best {}".format(
            directory, "max:accuracy"
        ))
    prefix = os.path.join(directory, found.checkpoint)
    wrong = damage(prefix)
    if wrong:
        raise JobError("the best checkpoint, {}, is damaged: {}; leave out --best to use the newest one".format(
            found.described(directory), wrong
        ))
    return prefix


def write_best(directory: str, best: Best) -> None:
    """Writes the file of the best checkpoint atomically."""
    replace_file(directory, BEST_FILE, seal(dict(best._asdict())))


def update_best(directory: str, by: str, evaluations: Iterable[Any]) -> None:
    """Remembers the best checkpoint after evaluations of another process; those without a checkpoint don't count.

    Args:
      evaluations: each has the attributes `step` and `metrics`.

    Raises:
      ArgumentError: the metric is not among theirs.
    """
    names = {each.step: each.name for each in list_checkpoints(directory)}
    before = best = read_best(directory, by)
    for each in evaluations:
        if each.step in names and is_better(by, each.metrics, best):
            best = Best(by, float(each.metrics[by.partition(":")[2]]), int(each.step), names[each.step])
    if best is not None and best != before:
        write_best(directory, best)


def is_better(by: str, metrics: Mapping[str, float], best: Optional[Best]) -> bool:
    """Returns whether metrics are better than those of the best checkpoint; a value that is not finite never is.

    Raises:
      ArgumentError: the metric is not among them.
    """
    direction, _, metric = by.partition(":")
    if metric not in metrics:
        raise ArgumentError("--keep-best is {!r}, but an evaluation of this job has {}".format(by, quoted(metrics)))
    value = float(metrics[metric])
    if not math.isfinite(value):
        return False
    return best is None or (value > best.value if direction == "max" else value < best.value)
