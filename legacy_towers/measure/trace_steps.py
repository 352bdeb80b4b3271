"""Traces chosen global steps of a run, each into a file of its own."""
import os
import warnings
from typing import Any, Dict, List, Optional, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.graph.walk import RunNeeds
from legacy_towers.measure.trace import TowerTrace
from legacy_towers.specs.step_numbers import parse_steps
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Coordinator, Session


class TraceStepsHook(tf.train.SessionRunHook):
    """Traces chosen global steps, and writes each for chrome://tracing or Perfetto, with a group of rows per tower.

        hook = lt.training.TraceStepsHook(step, "step.json", "100,200")      # step-100.json and step-200.json

    A traced step takes some milliseconds more. Where towers train asynchronously, the first run of tower 0 that begins
    at or after a chosen step is traced.

    Args:
      step: the train step, of the default graph.
      path: the file; with several steps, the step is put before the ending. Its folder is created.
      steps: global steps, counted from 1: numbers, or their spec, such as "100,200" or "100:103".

    Attributes:
      traces: global step -> its `TowerTrace`.

    Raises:
      ArgumentError: `steps` names none.
    """

    def __init__(self, step: TrainStep, path: str, steps: Union[str, Sequence[int]]) -> None:
        self.traces: Dict[int, TowerTrace] = {}
        self._train_step = step
        self._path = path
        self._chosen = parse_steps(steps if isinstance(steps, str) else ",".join(map(str, steps)))
        self._left: List[int] = []
        self._next: Optional[int] = None
        self._step = 0
        self._is_traced = False
        schedule = step.schedule
        self._trains = RunNeeds(list(schedule.objective_ops.values()) or [schedule.joint_op])

    def path_of(self, step: int) -> str:
        """Returns the file of a chosen step."""
        if len(self._chosen) == 1:
            return self._path
        stem, ending = os.path.splitext(self._path)
        return "{}-{}{}".format(stem, step, ending)

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._step = int(session.run(self._train_step.global_step))
        self._left = [step for step in self._chosen if step > self._step and step not in self.traces]
        self._next = self._left[0] if self._left else None

    def before_run(self, run_context: Any) -> Optional[Any]:
        if self._next is None:
            return None
        self._step += 1
        if self._train_step.asynchronous is not None:
            self._step = int(run_context.session.run(self._train_step.global_step)) + 1
        if self._step < self._next:
            return None
        if not self._trains(run_context):
            self._step -= 1
            return None
        # Runs that do not train were counted too.
        self._step = int(run_context.session.run(self._train_step.global_step)) + 1
        self._is_traced = self._step >= self._next
        if not self._is_traced:
            return None
        return tf.train.SessionRunArgs(None, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not self._is_traced:
            return
        self._is_traced = False
        step = self._left.pop(0)
        self._next = self._left[0] if self._left else None
        self.traces[step] = TowerTrace.from_run_metadata(run_values.run_metadata)
        self.traces[step].write_chrome_trace(self.path_of(step))

    def sentences(self) -> List[str]:
        """Returns a sentence per traced step on how much the towers computed at the same time."""
        return [
            "{} (trace of step {} in {})".format(self.traces[step].overlap(), step, self.path_of(step))
            for step in sorted(self.traces)
        ]

    def end(self, session: Session) -> None:
        missing = [str(step) for step in self._chosen if step not in self.traces]
        if missing:
            warnings.warn(
                "step{} {} {} not traced: this run ended at step {}".format(
                    "s" if missing[1:] else "", ", ".join(missing[:5] + ["..."] * (len(missing) > 5)),
                    "were" if missing[1:] else "was", int(session.run(self._train_step.global_step)),
                ),
                stacklevel=2,
            )
