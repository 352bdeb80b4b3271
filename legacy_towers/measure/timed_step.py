"""Times and traces runs of a train step in a session that stays open between turns."""
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.inputs.base import InputHook
from legacy_towers.measure.rounds import steps_ahead_of
from legacy_towers.measure.step_ops import step_ops
from legacy_towers.measure.waiting import Stretch, stretches, traced_step
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import ConfigProto


class Turn(NamedTuple):
    """The timed runs of one turn.

    Attributes:
      step_seconds: of each run.
      seconds: of all runs together.
      updates: the growth of the global step in the turn, by the updates of all towers.
      fed_bytes: the bytes that hooks fed in the turn.
      copied_bytes: the part of `fed_bytes` that was copied first.
    """

    step_seconds: List[float]
    seconds: float
    updates: int
    fed_bytes: float
    copied_bytes: float


class TracedRun(NamedTuple):
    """One traced run.

    Attributes:
      waiting_share: the share of the run in which the step waited for input and nothing else ran, from 0 to 1.
      milliseconds: from its first operation, or the hooks' work before it, to its last.
      timeline: what ran when, of `stretches`.
    """

    waiting_share: float
    milliseconds: float
    timeline: List[Stretch]


def nearest_to_median(runs: Sequence[TracedRun]) -> TracedRun:
    """Returns the most typical run: the one nearest to their medians in its length and in its share of waiting."""
    share = float(np.median([run.waiting_share for run in runs]))
    length = float(np.median([run.milliseconds for run in runs]))
    return min(runs, key=lambda run: abs(run.waiting_share - share) + abs(run.milliseconds / max(length, 1e-9) - 1.0))


class TimedStep:
    """A train step in an open session.

    Args:
      step: the step; a session is opened on its graph, with its hooks.
      trace_level: of tf.RunOptions, for `trace`.
    """

    def __init__(
        self,
        step: TrainStep,
        config: ConfigProto,
        feed: Optional[Dict[Any, Any]] = None,
        trace_level: int = tf.RunOptions.FULL_TRACE,
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        self.step = step
        self._feed = feed
        self._trace_level = trace_level
        self._alive = alive
        self._ops = step.train_ops()
        self._input_ops = {operation.name for operation in step.input.input_ops}
        self._hooks = [hook for hook in step.hooks if isinstance(hook, InputHook)]
        # Objectives that take turns differ in cost, so that only whole rounds of them can be compared.
        self._cycle = max(1, len(step.schedule.order))
        with step.loss.graph.as_default():
            self._session = tf.train.SingularMonitoredSession(hooks=step.hooks, config=config)

    @property
    def steps_ahead(self) -> int:
        """The upper limit of the steps whose batches are prefetched."""
        if not self._input_ops and not self._hooks:
            return 0
        return steps_ahead_of(self.step.input.plan._asdict())

    def close(self) -> None:
        """Closes the session and joins the input pipeline's threads."""
        self._session.close()

    def turn(self, settle: int, steps: Optional[int], seconds: float = 0.0) -> Turn:
        """Runs some untimed steps, then timed ones.

        Args:
          settle: the number of untimed steps. They must consume what the input pipeline has prefetched since the last
            turn.
          steps: the number of timed steps, rounded up to whole rounds of objectives in turn; None: until `seconds` have
            passed.
          seconds: see `steps`.

        Raises:
          tf.errors.OutOfRangeError: the input has ended.
        """
        for _ in range(settle):
            self._run()
        times: List[float] = []
        fed, copied, updates = self._total("fed_bytes"), self._total("copied_bytes"), self._global_step()
        begin = before = time.perf_counter()
        while len(times) % self._cycle or (len(times) < steps if steps is not None else before - begin < seconds):
            self._run()
            now = time.perf_counter()
            times.append(now - before)
            before = now
        return Turn(
            times, before - begin, self._global_step() - updates, self._total("fed_bytes") - fed,
            self._total("copied_bytes") - copied,
        )

    def trace(self, settle: int, steps: int, between: int) -> List[TracedRun]:
        """Traces steps.

        Args:
          settle: the number of untraced steps before the first traced one.
          between: the number of untraced steps between traced ones: while a step is traced, the pipeline
            prefetches.
        """
        runs = []
        for number in range(steps):
            for _ in range(between if number else settle):
                self._run()
            runs.append(self._run_traced())
        found = []
        for metadata, waited in runs:
            ops = step_ops(metadata.step_stats)
            traced = traced_step(ops, self._input_ops, int(waited * 1e9))
            found.append(TracedRun(
                traced.waiting_share, (traced.end - traced.start) / 1e6, stretches(traced, ops, self._input_ops)
            ))
        return found

    def _global_step(self) -> int:
        # In the raw session: hooks would feed a batch.
        return int(self._session.raw_session().run(self.step.global_step))

    def _run(self) -> None:
        self._session.run(next(self._ops), feed_dict=self._feed)
        self._alive()

    def _run_traced(self) -> Tuple[Any, float]:
        """Returns the step's RunMetadata, and for how many seconds hooks made or waited for its batch."""
        metadata = tf.RunMetadata()
        before = self._total("waited_seconds")
        options = tf.RunOptions(trace_level=self._trace_level)
        self._session.run(next(self._ops), feed_dict=self._feed, options=options, run_metadata=metadata)
        self._alive()
        return metadata, self._total("waited_seconds") - before

    def _total(self, attribute: str) -> float:
        return float(sum(getattr(hook, attribute) for hook in self._hooks))
