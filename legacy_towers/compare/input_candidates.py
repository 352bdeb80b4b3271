"""Which ways in are compared, and why the others are not."""
from typing import List, Optional, Sequence, Tuple

from legacy_towers.compare.candidates import STAGED, SYNTHETIC, Candidate, Candidates
from legacy_towers.compare.settings import CompareSettings, batch_size, check_distinct
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.inputs.ways import WAYS, check_way, make_way
from legacy_towers.jobs import Job
from legacy_towers.report.document import INPUTS
from legacy_towers.training.choices import in_words
from legacy_towers.training.places import tower_devices


def full_name(way: str) -> str:
    """Returns the one name of a way that has two: "dataset" is "dataset:next_per_tower"."""
    base, staged, _ = way.partition(STAGED)
    return ("dataset:next_per_tower" if base == "dataset" else base) + staged


def find_ways(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the ways in to compare.

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
    current = _current(job, settings, ways, left_out)
    notes = []
    if settings.current is None and current != full_name(job.input):
        notes.append("the job's own way, {}, is not among those compared: the others are held against {}".format(
            full_name(job.input), current
        ))
    words = {way: (in_words(job.variables), in_words(job.reduction)) for way in ways}
    return Candidates(INPUTS, [Candidate(way, way) for way in ways], current, left_out, {}, words, notes)


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
    real: List[str] = [way for way in ways if way != SYNTHETIC]
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
