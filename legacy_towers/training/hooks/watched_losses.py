"""The losses of the runs that train, for hooks that look at each step."""
import math
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.graph.walk import RunNeeds
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Operation, Tensor
from legacy_towers.text.names import listed
from legacy_towers.towers.output import WHOLE


class TowerLoss(NamedTuple):
    """The loss of a tower, of one objective."""

    tower: int
    objective: str
    loss: Tensor

    def __str__(self) -> str:
        name = "" if self.objective == WHOLE else "{!r} ".format(self.objective)
        return "the {}loss of tower {} ({!r})".format(name, self.tower, self.loss.name)


class WatchedLosses(NamedTuple):
    """The losses of a run that trains.

    Attributes:
      train_op: the operation that trains.
      needed: whether a run trains, by its `tf.train.SessionRunContext`.
      loss: the loss over all towers.
      tower_losses: the towers' own.
      is_applied: bool scalar tensor, whether the step is applied; None: every step is.
    """

    train_op: Operation
    needed: Callable[[Any], bool]
    loss: Tensor
    tower_losses: List[TowerLoss]
    is_applied: Optional[Tensor] = None

    def stacked(self) -> Tensor:
        """Returns a new tensor with the loss, the towers' losses and, if steps can be skipped, whether this one is not.

        One fetch of a few numbers costs less than a fetch for each of them.
        """
        dtype = self.loss.dtype
        losses = [self.loss] + [tf.cast(each.loss, dtype) for each in self.tower_losses]
        with tf.device(self.loss.device):
            return tf.stack(losses + ([] if self.is_applied is None else [tf.cast(self.is_applied, dtype)]))

    def is_good(self, values: Sequence[float]) -> bool:
        """Returns whether a step was finite, by the values of `stacked`."""
        return math.isfinite(values[0]) and (self.is_applied is None or bool(values[-1]))

    def findings(self, values: Sequence[float], step: int) -> List[str]:
        """Returns clauses that say which loss is not finite, by the values of `stacked`, at global step `step`."""
        if math.isfinite(values[0]):
            return ["a gradient is NaN or infinite at global step {}".format(step), "the loss is finite"]
        bad, fine = self._bad_towers(values), self._fine_towers(values)
        if not bad:
            return [
                "the loss over all towers ({!r}) is {} at global step {}".format(
                    self.loss.name, _value(values[0]), step
                ),
                "each tower's own loss is finite",
            ]
        first, value = next(row for row in zip(self.tower_losses, values[1:]) if not math.isfinite(row[1]))
        clauses = ["{} is {} at global step {}".format(first, _value(value), step)]
        if bad[1:]:
            clauses.append("so {} of {}".format("is that" if len(bad) == 2 else "are those", _towers(bad[1:])))
        if fine:
            clauses.append("{} of {} finite".format(
                "that" if len(fine) == 1 else "those", _towers(fine) + (" is" if len(fine) == 1 else " are")
            ))
        return clauses

    def advice(self, values: Sequence[float]) -> str:
        """Returns what to do."""
        bad, fine = self._bad_towers(values), self._fine_towers(values)
        if not bad:
            return "check the regularization losses"
        if fine:
            return "check the examples of {} in this step".format(_towers(bad))
        return "check the examples and the learning rate, or check gradients by lt.gradients.check_numerics()"

    def _bad_towers(self, values: Sequence[float]) -> List[int]:
        rows = zip(self.tower_losses, values[1:])
        return sorted({each.tower for each, value in rows if not math.isfinite(value)})

    def _fine_towers(self, values: Sequence[float]) -> List[int]:
        bad = self._bad_towers(values)
        return sorted({each.tower for each in self.tower_losses if each.tower not in bad})


def watched_losses(step: TrainStep) -> List[WatchedLosses]:
    """Returns the losses of the step, or, where objectives alternate, those of each objective."""
    # Asynchronous towers take their batches in their own runs.
    towers = [tower for tower in step.towers if tower.losses][: None if step.asynchronous is None else 1]
    losses = [TowerLoss(tower.index, name, tower.losses[name]) for tower in towers for name in tower.losses]
    if step.schedule.joint_op is not None:
        op = step.schedule.joint_op
        # Where objectives are trained jointly, all of them are applied or none is.
        is_applied = next(iter(step.is_finite.values()), None)
        return [WatchedLosses(op, RunNeeds([op]), step.loss, losses, is_applied)]
    return [
        WatchedLosses(
            each.train_op,
            RunNeeds([each.train_op]),
            each.loss,
            [loss for loss in losses if loss.objective == each.name],
            step.is_finite.get(each.name),
        )
        for each in step.objectives.values()
    ]


def trained_in(watched: Sequence[WatchedLosses], run_context: Any) -> List[WatchedLosses]:
    """Returns those that a run trains, by its `tf.train.SessionRunContext`."""
    # Most runs fetch a train op alone: looking at a run's fetches otherwise takes 20 us.
    fetched = run_context.original_args.fetches
    return [each for each in watched if each.train_op is fetched] or [
        each for each in watched if each.needed(run_context)
    ]


def _value(value: float) -> str:
    return "NaN" if math.isnan(value) else "infinite"


def _towers(indices: Sequence[int]) -> str:
    """Returns "tower 2" or "towers 0, 1 and 3"."""
    return "tower{} {}".format("s" if len(indices) > 1 else "", listed(map(str, indices)))
