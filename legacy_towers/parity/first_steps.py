"""Records the losses and first gradients of a job, from given values and in the fixed order."""
from typing import List, NamedTuple, Sequence

from legacy_towers.compat import tf
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.parity.arrays_file import write_arrays
from legacy_towers.parity.whole_values import join_parts, session_from_values
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.training.job import Job


class FirstSteps(NamedTuple):
    """The first steps of a job, as values for JSON.

    Attributes:
      losses: float.hex() of the global loss of each step.
      dtype: the dtype of the loss.
    """

    losses: List[str]
    dtype: str


def record_first_steps(
    job: Job,
    pipeline: str,
    devices: Sequence[str],
    config: ConfigProto,
    per_tower_batch_size: int,
    steps: int,
    values_path: str,
    gradients_path: str,
) -> FirstSteps:
    """Trains a job for some steps in the fixed order, in a new graph and session.

    Args:
      pipeline: the name of an input pipeline; see `legacy_towers.specs.pipelines`.
      values_path: a file with the variables' initial values; see `session_from_values`.
      gradients_path: a file to which the applied gradients of the first step are written.
    """
    source = make_pipeline(pipeline, job.train, per_tower_batch_size=per_tower_batch_size, order="fixed")
    with session_from_values(values_path, job, source, devices, config) as (step, session):
        pairs = [(gradient, variable) for gradient, variable in step.gradients if gradient is not None]
        variables = [variable for _, variable in pairs]
        with tf.name_scope("parity"):
            gradients = [tf.convert_to_tensor(gradient) for gradient, _ in pairs]
        losses: List[str] = []
        # `running` makes the towers' copies of variables equal to the values that were written.
        with step.running(session) as run:
            loss, found = run([step.loss, gradients])
            write_arrays(gradients_path, join_parts(variables, found))
            losses.append(float(loss).hex())
            while len(losses) < steps:
                losses.append(float(run(step.loss)).hex())
    return FirstSteps(losses, step.loss.dtype.base_dtype.name)
