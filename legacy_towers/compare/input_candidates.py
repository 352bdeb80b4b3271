"""Finds the input pipelines to compare, and the reasons why others are left out."""
from typing import List, Optional, Sequence, Tuple

from legacy_towers.compare.candidates import Candidates
from legacy_towers.compare.settings import CompareSettings, batch_size
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.measure.candidate import Candidate
from legacy_towers.report.document import INPUTS
from legacy_towers.specs.pipelines import PIPELINES, SYNTHETIC, full_name
from legacy_towers.training.choices import choice_name
from legacy_towers.training.devices import tower_devices
from legacy_towers.training.job import Job


def find_pipelines(job: Job, settings: CompareSettings) -> Candidates:
    """Returns the input pipelines to compare.

    Raises:
      ArgumentError: a name is unknown or given twice, `current` is not a candidate, or a pipeline that was asked for
        by name can't be used with the job.
    """
    asked = list(PIPELINES)
    if settings.inputs is not None:
        asked = [full_name(pipeline) for pipeline in settings.inputs]
    pipelines, left_out = [], []
    for pipeline in asked:
        why = why_not(pipeline, job, settings)
        if why is None:
            pipelines.append(pipeline)
        elif settings.inputs is not None:
            raise ArgumentError("--inputs: {} can't be used with this job: {}".format(pipeline, why))
        else:
            left_out.append((pipeline, why))
    current = _current(job, settings, pipelines, left_out)
    notes = []
    if settings.current is None and current != full_name(job.input):
        notes.append("the job's own input pipeline, {}, is not among them: the others are compared with {}".format(
            full_name(job.input), current
        ))
    choices = {pipeline: (choice_name(job.variables), choice_name(job.reduction)) for pipeline in pipelines}
    candidates = [Candidate(input=pipeline, label=pipeline) for pipeline in pipelines]
    return Candidates(INPUTS, candidates, current, left_out, {}, choices, notes)


def why_not(pipeline: str, job: Job, settings: CompareSettings) -> Optional[str]:
    """Returns why an input pipeline can't read the job's examples; None if it can."""
    try:
        source = make_pipeline(pipeline, job.train, per_tower_batch_size=batch_size(settings, job))
        for towers in settings.towers:
            # In a temporary graph: some limits are found only when the tensors are built.
            with tf.Graph().as_default():
                source.build(tower_devices(settings.device, towers))
    except UserError as error:
        return str(error)
    return None


def _current(
    job: Job, settings: CompareSettings, pipelines: Sequence[str], left_out: Sequence[Tuple[str, str]]
) -> str:
    real: List[str] = [pipeline for pipeline in pipelines if pipeline != SYNTHETIC]
    if not real:
        reasons = "; ".join("{}: {}".format(*each) for each in left_out)
        raise ArgumentError("there is no input pipeline to compare{}".format(reasons and ": " + reasons))
    if settings.current is not None:
        current = full_name(settings.current)
        if current not in real:
            raise ArgumentError(
                "--current is {}, which is not compared: name it among --inputs too".format(settings.current)
                if current != SYNTHETIC else "--current is synthetic, which reads no data: name another input pipeline"
            )
        return current
    own = full_name(job.input)
    return own if own in real else real[0]
