"""When a run is evaluated during training, and when it stops early. Nothing here imports TensorFlow."""
import math
from typing import Any, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.training.checkpoints.options import direction_and_metric
from legacy_towers.training.formatting import format_number


class Stopped(NamedTuple):
    """Why training stopped early.

    Attributes:
      by: the direction and the metric, such as "max:accuracy".
      step: the global step of the last evaluation.
      best_step: the global step of the best evaluation; None if the metric never was a finite number.
      best_value: its value.
      waited: how many evaluations in a row were no improvement.
      min_delta: what counts as an improvement.
    """

    by: str
    step: int
    best_step: Optional[int]
    best_value: float
    waited: int
    min_delta: float

    def __str__(self) -> str:
        direction, _, metric = self.by.partition(":")
        evaluations = "{} evaluation{}".format(self.waited, "" if self.waited == 1 else "s")
        if self.best_step is None:
            return "stopped early at step {}: {} was not a finite number in {}".format(self.step, metric, evaluations)
        return "stopped early at step {}: {} was {} {} at step {} and has not {}{} in the {} since".format(
            self.step, metric, "highest with" if direction == "max" else "lowest with",
            format_number(self.best_value), self.best_step, "risen" if direction == "max" else "fallen",
            " by more than {:g}".format(self.min_delta) if self.min_delta else "", evaluations,
        )


class EarlyStopping(NamedTuple):
    """Stops training when a metric of its evaluations no longer improves.

        early_stopping = lt.training.EarlyStopping("max:accuracy", patience=5)
        hook = lt.training.EvaluationHook(evaluator, saving, every_steps=100, early_stopping=early_stopping)

    Attributes:
      by: "max:NAME" or "min:NAME": the metric NAME, and whether high or low values are good.
      patience: after how many evaluations in a row without an improvement training stops.
      min_delta: by how much more than this a value must be better than the best one to be an improvement.
    """

    by: str
    patience: int = 3
    min_delta: float = 0.0

    def checked(self) -> "EarlyStopping":
        """Returns the options.

        Raises:
          ArgumentError: a value is out of range; the message names the option of the command line.
        """
        direction_and_metric("--stop-early", self.by)
        if self.patience < 1:
            raise ArgumentError("--patience is {}: at least 1 is needed".format(self.patience))
        if not 0.0 <= self.min_delta < math.inf:
            raise ArgumentError("--min-delta is {:g}: a number of at least 0 is needed".format(self.min_delta))
        return self

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.by.partition(":")[2]

    def stopped(self, evaluations: Sequence[Any]) -> Optional[Stopped]:
        """Returns why training stops after these evaluations; None if it continues.

        The evaluations are all there is to know, so that a resumed run decides as one that was never killed. A value
        that is not finite is not an improvement.

        Args:
          evaluations: each `Evaluation` of the run so far, in the order of the steps.
        """
        best: Optional[Tuple[int, float]] = None
        waited = 0
        for each in evaluations:
            value = float(each.metrics[self.metric])
            waited += 1
            if math.isfinite(value) and (best is None or self._gain(value, best[1]) > self.min_delta):
                best, waited = (each.step, value), 0
        if waited < self.patience:
            return None
        best_step, best_value = best or (None, math.nan)
        return Stopped(self.by, evaluations[-1].step, best_step, best_value, waited, self.min_delta)

    def _gain(self, value: float, best: float) -> float:
        return value - best if self.by.startswith("max:") else best - value


class EvaluationOptions(NamedTuple):
    """When a run is evaluated on its test examples, besides at its end, and when it stops early.

    Attributes:
      evaluate_steps: global steps between two evaluations; None: not by steps.
      evaluate_seconds: seconds between two evaluations; None: not by seconds. With both, whichever comes first.
      stop_early: "max:NAME" or "min:NAME": training stops when the metric NAME no longer improves; None: never. The
        best checkpoint by it is kept, unless `CheckpointOptions.keep_best` is another metric.
      patience: see `EarlyStopping`; None: 3.
      min_delta: see `EarlyStopping`; None: 0.
    """

    evaluate_steps: Optional[int] = None
    evaluate_seconds: Optional[float] = None
    stop_early: Optional[str] = None
    patience: Optional[int] = None
    min_delta: Optional[float] = None

    @property
    def is_given(self) -> bool:
        """Whether there are evaluations during training."""
        return self.evaluate_steps is not None or self.evaluate_seconds is not None

    def early_stopping(self) -> Optional[EarlyStopping]:
        """Returns when training stops early; None: it does not.

        Raises:
          ArgumentError: a value is out of range; the message names the option of the command line.
        """
        given = {name: getattr(self, name) for name in ("patience", "min_delta") if getattr(self, name) is not None}
        early = EarlyStopping(self.stop_early or "min:loss", **given).checked()
        return None if self.stop_early is None else early

    def in_range(self) -> "EvaluationOptions":
        """Returns the options, each of which is valid for itself.

        Raises:
          ArgumentError: a value is out of range; the message names the option of the command line.
        """
        if self.evaluate_steps is not None and self.evaluate_steps < 1:
            raise ArgumentError("--evaluate-steps is {}: at least 1 is needed".format(self.evaluate_steps))
        if self.evaluate_seconds is not None and not self.evaluate_seconds > 0:
            raise ArgumentError("--evaluate-seconds is {:g}: a time above 0 is needed".format(self.evaluate_seconds))
        if self.stop_early is not None:
            direction_and_metric("--stop-early", self.stop_early)
        self.early_stopping()
        return self

    def checked(self) -> "EvaluationOptions":
        """Returns the options of a run.

        Raises:
          ArgumentError: a value is out of range, or an option has no effect; the message names the option of the
            command line.
        """
        self.in_range()
        if self.stop_early is not None and not self.is_given:
            raise ArgumentError(
                "--stop-early {}: there is no evaluation during training: give --evaluate-steps or "
                "--evaluate-seconds too".format(self.stop_early)
            )
        for option, value in (("--patience", self.patience), ("--min-delta", self.min_delta)):
            if value is not None and self.stop_early is None:
                raise ArgumentError("{} has no effect without --stop-early".format(option))
        return self

    def __str__(self) -> str:
        """Returns for example "every 500 steps and at the end"."""
        when = []
        if self.evaluate_steps is not None:
            when.append("every {}".format(
                "step" if self.evaluate_steps == 1 else "{:,} steps".format(self.evaluate_steps)
            ))
        if self.evaluate_seconds is not None:
            when.append("every {:g} seconds".format(self.evaluate_seconds))
        early = self.early_stopping()
        if early is None:
            return "{} and at the end".format(", ".join(when))
        return "{} and at the end; training stops early after {} without {} {}{}".format(
            ", ".join(when), "1 evaluation" if early.patience == 1 else "{} evaluations".format(early.patience),
            "a higher" if early.by.startswith("max:") else "a lower", early.metric,
            " by more than {:g}".format(early.min_delta) if early.min_delta else "",
        )
