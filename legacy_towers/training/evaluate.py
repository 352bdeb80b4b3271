"""Metrics over the test examples, each counted exactly once, on one tower or several."""
from typing import Any, Dict, NamedTuple, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.jobs import Job
from legacy_towers.names import quoted
from legacy_towers.towers.output import EVAL, TowerOutput
from legacy_towers.training.figures import in_short
from legacy_towers.training.restored import restored_model


class Evaluation(NamedTuple):
    """What an evaluation found.

    Attributes:
      step: the global step of the checkpoint.
      examples: how many examples were counted: all of them, the last short batch included.
      metrics: name -> mean over the examples; "loss" among them if the model function gives one.
    """

    step: int
    examples: int
    metrics: Dict[str, float]

    def __str__(self) -> str:
        numbers = ", ".join("{} {}".format(name, in_short(self.metrics[name])) for name in sorted(self.metrics))
        return "test {} ({} examples, step {})".format(numbers, self.examples, self.step)


def evaluate(
    job: Job,
    checkpoint_dir: str,
    batch_size: int = 100,
    devices: Sequence[str] = ("/cpu:0",),
    soft_placement: bool = False,
) -> Evaluation:
    """Evaluates the newest checkpoint of a job over its test examples.

    A scalar metric counts as the mean over its batch, and is weighted by the batch's examples; a metric with one value
    per example is summed. On several towers each example counts once too.

    However variables lived in training, here they are whole, shared by the towers, and on /cpu:0: by every strategy a
    checkpoint holds them whole under the same names, also those that were cut into parts, with their moving averages.

    Args:
      job: the job; its `moving_average_decay` makes the averages the variables that are evaluated.
      checkpoint_dir: the directory that training wrote.
      batch_size: examples per tower and run; it changes nothing but speed, up to rounding.
      devices: one device string per tower, such as ["/gpu:0", "/gpu:1"]; nor do they change anything else.
      soft_placement: whether TensorFlow may run towers elsewhere; a warning says so if it does.

    Raises:
      ArgumentError: no devices, or a batch size below 1.
      DeviceError: there is no such device, and no soft placement.
      JobError: no test examples, no fitting checkpoint, no metrics.
    """
    with restored_model(job, checkpoint_dir, EVAL, batch_size, devices, soft_placement) as model:
        wanted = [_wanted(output) for output in model.outputs]
        if not wanted[0]:
            raise JobError("the model function returned neither metrics nor a loss for mode 'eval'")
        for tower, of_tower in enumerate(wanted):
            if set(of_tower) != set(wanted[0]):
                raise JobError(
                    "the model function returned {} for mode 'eval' in tower {}, {} in tower 0".format(
                        quoted(sorted(of_tower)), tower, quoted(sorted(wanted[0]))
                    )
                )
        sums = {name: 0.0 for name in wanted[0]}
        examples = 0
        while True:
            try:
                of_towers, counts = model.session.run([wanted, model.counts])
            except tf.errors.OutOfRangeError:
                break
            for values, count in zip(of_towers, counts):
                examples += int(count)
                for name, value in values.items():
                    sums[name] += _sum(name, value, int(count))
        if not examples:
            raise JobError("the job's test examples are none: {} is empty".format(job.test and job.test.describe()))
        return Evaluation(model.step, examples, {name: total / examples for name, total in sums.items()})


def _wanted(output: TowerOutput) -> Dict[str, Any]:
    wanted = dict(output.metrics or {})
    if output.loss is not None:
        wanted["loss"] = output.loss
    return wanted


def _sum(name: str, value: Any, count: int) -> float:
    """Returns the sum over the true examples; a tower without any computed one that doesn't count."""
    array = np.asarray(value, np.float64)
    if array.ndim == 0:
        return float(array) * count if count else 0.0
    if array.shape == (max(count, 1),):
        return float(array[:count].sum())
    raise JobError(
        "the metric {!r} has shape {} for a batch of {} examples: it must be a scalar or have one value per "
        "example".format(name, list(array.shape), max(count, 1))
    )
