"""Metrics over the test examples, each counted exactly once, on one device."""
from typing import Any, Dict, NamedTuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.jobs import Job
from legacy_towers.towers.output import EVAL
from legacy_towers.training.figures import in_short
from legacy_towers.training.one_device import restored_model


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
    job: Job, checkpoint_dir: str, batch_size: int = 100, device: str = "/cpu:0", soft_placement: bool = False
) -> Evaluation:
    """Evaluates the newest checkpoint of a job over its test examples.

    A scalar metric counts as the mean over its batch, and is weighted by the batch's examples; a metric with one value
    per example is summed.

    Args:
      job: the job; its `moving_average_decay` makes the averages the variables that are evaluated.
      checkpoint_dir: the directory that training wrote.
      batch_size: examples per run; it changes nothing but speed, up to rounding.
      device: a device string, such as "/gpu:0".
      soft_placement: whether TensorFlow may run it elsewhere; a warning says so if it does.

    Raises:
      DeviceError: there is no such device, and no soft placement.
      JobError: no test examples, no fitting checkpoint, no metrics.
    """
    with restored_model(job, checkpoint_dir, EVAL, batch_size, device, soft_placement) as model:
        wanted = dict(model.output.metrics or {})
        if model.output.loss is not None:
            wanted["loss"] = model.output.loss
        if not wanted:
            raise JobError("the model function returned neither metrics nor a loss for mode 'eval'")
        sums = {name: 0.0 for name in wanted}
        examples = 0
        while True:
            try:
                values, count = model.session.run([wanted, model.batch_count])
            except tf.errors.OutOfRangeError:
                break
            examples += int(count)
            for name, value in values.items():
                sums[name] += _sum(name, value, int(count))
        return Evaluation(model.step, examples, {name: total / examples for name, total in sums.items()})


def _sum(name: str, value: Any, count: int) -> float:
    array = np.asarray(value, np.float64)
    if array.ndim == 0:
        return float(array) * count
    if array.shape == (count,):
        return float(array.sum())
    raise JobError(
        "the metric {!r} has shape {} for a batch of {} examples: it must be a scalar or have one value per "
        "example".format(name, list(array.shape), count)
    )
