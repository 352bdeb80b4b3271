"""Which ways in are compared, and why the others are not."""
from typing import List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compare.settings import CompareSettings, batch_size, check_distinct
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.inputs.ways import WAYS, check_way, make_way
from legacy_towers.jobs import Job
from legacy_towers.training.places import tower_devices

SYNTHETIC = "synthetic"
STAGED = "+staged"


class Candidates(NamedTuple):
    """What is compared.

    Attributes:
      ways: names, in the order of the table of ways.
      current: the one that the others are compared with.
      left_out: (name, why it can't serve the job).
    """

    ways: List[str]
    current: str
    left_out: List[Tuple[str, str]]


def full_name(way: str) -> str:
    """Returns the one name of a way that has two: "dataset" is "dataset:next_per_tower"."""
    base, staged, _ = way.partition(STAGED)
    return ("dataset:next_per_tower" if base == "dataset" else base) + staged


def find_candidates(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the ways to compare.

    Raises:
      ArgumentError: an unknown name, one named twice, `current` is none of them.
      UserError: a way that was asked for by name can't serve the job.
    """
    for name in settings.inputs or ():
        check_way(name, "--inputs")
    if settings.current is not None:
        check_way(settings.current, "--current")
    asked = list(dict.fromkeys(full_name(way) for way in WAYS))
    if settings.inputs is not None:
        if not settings.inputs:
            raise ArgumentError("--inputs names no way in")
        asked = [full_name(way) for way in settings.inputs]
        check_distinct("--inputs", asked)
    ways, left_out = [], []
    for way in asked:
        why = why_not(way, job, settings)
        if why is None:
            ways.append(way)
        elif settings.inputs is not None:
            raise ArgumentError("--inputs: {} can't serve this job: {}".format(way, why))
        else:
            left_out.append((way, why))
    return Candidates(ways, _current(job, settings, ways, left_out), left_out)


def why_not(way: str, job: Job, settings: CompareSettings) -> Optional[str]:
    """Returns why a way in can't serve the job's examples, None if it can."""
    try:
        source = make_way(way, job.train, per_tower_batch_size=batch_size(settings, job))
        for towers in settings.towers:
            # In a graph that is thrown away: some limits show only when the tensors are made.
            with tf.Graph().as_default():
                source.build(tower_devices(settings.device, towers))
    except UserError as error:
        return str(error)
    return None


def _current(
    job: Job, settings: CompareSettings, ways: Sequence[str], left_out: Sequence[Tuple[str, str]]
) -> str:
    real = [way for way in ways if way != SYNTHETIC]
    if not real:
        reasons = "; ".join("{}: {}".format(*each) for each in left_out)
        raise ArgumentError("there is no way in to compare{}".format(reasons and ": " + reasons))
    if settings.current is not None:
        current = full_name(settings.current)
        if current not in real:
            raise ArgumentError(
                "--current is {}, which is not compared: name it among --inputs too".format(settings.current)
                if current != SYNTHETIC else "--current is synthetic, which reads no data: name a real way in"
            )
        return current
    own = full_name(job.input)
    return own if own in real else real[0]
