"""`Evaluator`: evaluates checkpoints of a model over its examples, each counted once, on one tower or several."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, TextIO

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.text.names import quoted
from legacy_towers.towers.output import EVAL, TowerOutput
from legacy_towers.training.checkpoints.newest import require_newest
from legacy_towers.training.evaluation.restored_model import RestorableModel
from legacy_towers.training.formatting import format_number


class Evaluation(NamedTuple):
    """The result of an evaluation.

    Attributes:
      step: the global step of the checkpoint.
      examples: number of examples, those of the last, short batch included.
      metrics: name -> mean over the examples; with "loss" if the model function returns one.
    """

    step: int
    examples: int
    metrics: Dict[str, float]

    def __str__(self) -> str:
        numbers = ", ".join("{} {}".format(name, format_number(self.metrics[name])) for name in sorted(self.metrics))
        return "test {} ({} examples, step {})".format(numbers, self.examples, self.step)


class Evaluator:
    """Evaluates checkpoints of a model over examples, in a graph of its own, which is built once.

        evaluator = lt.training.Evaluator(model_fn, test_examples, devices=lt.devices.cpus(4))
        print(evaluator.evaluate("run/model.ckpt-500"))

    A scalar metric counts as the mean over its batch, and is weighted by the batch's examples; a metric with one value
    per example is summed. On several towers each example counts once too: 1,000 examples on 3 towers are 1,000.

    Whatever the strategy in training was, the towers here share variables on /cpu:0: checkpoints of every strategy have
    whole variables under the same names, partitioned variables and moving averages included.

    Each evaluation has a session of its own, and so the same random numbers whatever was evaluated before.

    Args:
      model_fn: takes (batch, mode) and returns a `TowerOutput`; it is called with `lt.EVAL`.
      examples: the Examples to evaluate on, in their order.
      batch_size: examples per tower and run; it changes the results by rounding only.
      devices: one device string per tower, such as ["/gpu:0", "/gpu:1"]; they change the results by rounding only.
      moving_average_decay: that of training, if it keeps moving averages of the variables: these are evaluated.
      soft_placement: whether TensorFlow may run towers on other devices; a warning reports it if it does.
      stream: where to report that building the graph takes long; None writes nothing.

    Attributes:
      metrics: the names of the metrics of an evaluation, sorted.

    Raises:
      ArgumentError: no devices, or a batch size below 1.
      JobError: the model function returns neither metrics nor a loss.
    """

    def __init__(
        self,
        model_fn: Any,
        examples: Examples,
        batch_size: int = 100,
        devices: Sequence[str] = ("/cpu:0",),
        moving_average_decay: Optional[float] = None,
        soft_placement: bool = False,
        stream: Optional[TextIO] = None,
    ) -> None:
        self._model = RestorableModel(model_fn, examples, EVAL, batch_size, devices, moving_average_decay, stream)
        self._soft_placement = soft_placement
        self._wanted = [_wanted(output) for output in self._model.outputs]
        if not self._wanted[0]:
            raise JobError("the model function returned neither metrics nor a loss for mode 'eval'")
        for tower, of_tower in enumerate(self._wanted):
            if set(of_tower) != set(self._wanted[0]):
                raise JobError(
                    "the model function returned {} for mode 'eval' in tower {}, {} in tower 0".format(
                        quoted(sorted(of_tower)), tower, quoted(sorted(self._wanted[0]))
                    )
                )
        self.metrics: List[str] = sorted(self._wanted[0])

    def check_metric(self, option: str, metric: Optional[str]) -> None:
        """Raises ArgumentError, which names `option`, unless `metric` is None or a metric of an evaluation."""
        if metric is not None and metric not in self.metrics:
            raise ArgumentError("{}: there is no metric {!r}; an evaluation of this job has {}".format(
                option, metric, quoted(self.metrics)
            ))

    def evaluate(self, checkpoint: str) -> Evaluation:
        """Evaluates a checkpoint, given by its prefix, or the newest valid one of a directory.

        Raises:
          DeviceError: a device does not exist, and there is no soft placement.
          JobError: the checkpoint does not fit the model, there are no examples, or a metric has a wrong shape.
        """
        evaluation = self.evaluate_unless(checkpoint, lambda: False)
        assert evaluation is not None
        return evaluation

    def evaluate_unless(self, checkpoint: str, is_given_up: Callable[[], bool]) -> Optional[Evaluation]:
        """Does the same, but returns None as soon as `is_given_up` returns True, which is called before each run."""
        if tf.io.gfile.isdir(checkpoint):
            checkpoint = require_newest(checkpoint)
        sums = {name: 0.0 for name in self.metrics}
        examples = 0
        with self._model.restored(checkpoint, self._soft_placement) as (session, step):
            while True:
                if is_given_up():
                    return None
                try:
                    of_towers, counts = session.run([self._wanted, self._model.counts])
                except tf.errors.OutOfRangeError:
                    break
                for values, count in zip(of_towers, counts):
                    examples += int(count)
                    for name, value in values.items():
                        sums[name] += _sum(name, value, int(count))
        if not examples:
            raise JobError("there are no test examples: {} is empty".format(self._model.examples.describe()))
        return Evaluation(step, examples, {name: total / examples for name, total in sums.items()})


def _wanted(output: TowerOutput) -> Dict[str, Any]:
    wanted = dict(output.metrics or {})
    if output.loss is not None:
        wanted["loss"] = output.loss
    return wanted


def _sum(name: str, value: Any, count: int) -> float:
    """Returns the sum over the examples that count: a tower without any of them computes an example that does not."""
    array = np.asarray(value, np.float64)
    if array.ndim == 0:
        return float(array) * count if count else 0.0
    if array.shape == (max(count, 1),):
        return float(array[:count].sum())
    raise JobError(
        "the metric {!r} has shape {} for a batch of {} examples: it must be a scalar or have one value per "
        "example".format(name, list(array.shape), max(count, 1))
    )
