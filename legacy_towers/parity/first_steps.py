"""What a job computes in its first steps, from given values and in the fixed order: losses, and the first gradients."""
from typing import Any, List, NamedTuple, Sequence

from legacy_towers.compat import tf
from legacy_towers.inputs.ways import make_way
from legacy_towers.jobs import Job
from legacy_towers.parity.arrays_file import write_arrays
from legacy_towers.parity.beginning import begun_from
from legacy_towers.parity.whole_values import put_together


class FirstSteps(NamedTuple):
    """The first steps of a job; lists and strings only, so that JSON can carry it."""

    losses: List[str]  # float.hex() of the global loss of each step, in a row
    dtype: str  # of the loss


def record_first_steps(
    job: Job,
    way: str,
    devices: Sequence[str],
    config: Any,
    per_tower_batch_size: int,
    steps: int,
    values_path: str,
    gradients_path: str,
) -> FirstSteps:
    """Trains a job for some steps in the fixed order, in a graph and session of its own.

    Args:
      job: the job, with its strategy and its reduction.
      way: the way in, one of the names in `inputs.ways`.
      devices: one device string per tower.
      config: the session's tf.ConfigProto.
      per_tower_batch_size: examples per tower and step.
      steps: how many steps.
      values_path: a file with the variables' initial values; see `begun_from`.
      gradients_path: a file to which the gradients of the first step are written, as they are applied.
    """
    source = make_way(way, job.train, per_tower_batch_size=per_tower_batch_size, order="fixed")
    with begun_from(values_path, job, source, devices, config) as (step, session):
        pairs = [(gradient, variable) for gradient, variable in step.gradients if gradient is not None]
        variables = [variable for _, variable in pairs]
        with tf.name_scope("parity"):
            gradients = [tf.convert_to_tensor(gradient) for gradient, _ in pairs]
        losses: List[str] = []
        # The copies of the towers are made equal when this begins, from the values that were just written.
        with step.running(session) as run:
            loss, found = run([step.loss, gradients])
            write_arrays(gradients_path, put_together(variables, found))
            losses.append(float(loss).hex())
            while len(losses) < steps:
                losses.append(float(run(step.loss)).hex())
    return FirstSteps(losses, step.loss.dtype.base_dtype.name)
