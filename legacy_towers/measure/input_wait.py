"""How long steps wait for their input, cheaply enough for training: without a trace, from a few steps.

    run      [ hooks make or wait for the batch ][ graph starts ... input ops have the batches ][ towers, update ]
                                                 ^ timestamp                                   ^ timestamp

The time of hooks is known for every step. That in the graph is measured in the steps that fetch two timestamps, which
no other step computes.
"""
from typing import Any, List, NamedTuple, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph.walk import RunNeeds, ancestors
from legacy_towers.inputs.base import InputHook
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Operation, Tensor


class _Timestamps(NamedTuple):
    """A train op, and when its run began and had its batches: float64 scalars, in seconds; None without input ops."""

    train_op: Operation
    needed: RunNeeds
    tensors: Optional[Tuple[Tensor, Tensor]]


class InputWait:
    """Measures the share of the time in which steps wait for their input.

    Args:
      step: the train step, of the default graph.
    """

    def __init__(self, step: TrainStep) -> None:
        self._hooks = [hook for hook in step.hooks if isinstance(hook, InputHook)]
        self._timestamps = _timestamps(step)
        self._in_hooks = 0.0  # seconds, until the last reset
        self._in_graph: List[float] = []  # seconds, of each measured step

    def reset(self) -> None:
        """Forgets what was measured until now."""
        self._in_hooks = self._hook_seconds()
        self._in_graph = []

    def trains(self, run_context: Any) -> bool:
        """Returns whether a run computes a train op of the step."""
        return self._trained(run_context) is not None

    def fetches(self, run_context: Any) -> List[Tensor]:
        """Returns what `measured` needs of a run that trains: two tensors, or none."""
        trained = self._trained(run_context)
        return [] if trained is None or trained.tensors is None else list(trained.tensors)

    def measured(self, values: List[float]) -> None:
        """Takes the values of `fetches`."""
        if values:
            self._in_graph.append(max(0.0, float(values[1]) - float(values[0])))

    def share(self, seconds: float, steps: int) -> Optional[float]:
        """Returns the share of the time since the last reset that steps waited for input, from 0 to 1.

        Args:
          seconds: the time since then.
          steps: the steps since then.

        Returns:
          None where nothing can be measured: no time has passed, or the input has neither hooks nor input ops.
        """
        if steps < 1 or seconds <= 0 or not (self._hooks or self._in_graph):
            return None
        waited = self._hook_seconds() - self._in_hooks
        if self._in_graph:
            waited += steps * sum(self._in_graph) / len(self._in_graph)
        return min(1.0, waited / seconds)

    def _hook_seconds(self) -> float:
        return sum(hook.waited_seconds for hook in self._hooks)

    def _trained(self, run_context: Any) -> Optional[_Timestamps]:
        fetched = run_context.original_args.fetches
        for each in self._timestamps:
            if each.train_op is fetched:
                return each
        return next((each for each in self._timestamps if each.needed(run_context)), None)


def _timestamps(step: TrainStep) -> List[_Timestamps]:
    schedule = step.schedule
    train_ops = list(schedule.objective_ops.values()) if schedule.joint_op is None else [schedule.joint_op]
    input_ops = set(step.input.input_ops)
    found = []
    with tf.name_scope("input_wait"), tf.device("/cpu:0"):
        began = tf.timestamp(name="began")
        for train_op in train_ops:
            # Those of this train op alone: others would take the batch of another objective, or of another tower.
            waits = sorted(input_ops & ancestors([train_op]), key=lambda op: str(op.name))
            tensors = None
            if waits:
                with tf.control_dependencies(waits):
                    tensors = began, tf.timestamp(name="has_batches")
            found.append(_Timestamps(train_op, RunNeeds([train_op]), tensors))
    return found
