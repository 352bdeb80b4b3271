"""How long each worker of a cluster needs for its own part of a step: which one the others wait for.

    worker 0   compute ---- wait ---------- |     busy 40 ms of 100 ms
    worker 1   compute -------------------- |     busy 98 ms of 100 ms: all others wait 59 % of the time for it
                              all-reduces end
"""
import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.compat.versions.collectives import is_collective
from legacy_towers.compat.versions.graph import is_in_control_flow
from legacy_towers.graph.walk import RunNeeds, ancestors
from legacy_towers.tensor_types import Coordinator, Session, Tensor

# In the third step, and in every tenth, each worker sends its mean time to the others.
_FIRST_REPORT = 3
_STEPS_BETWEEN_REPORTS = 10
# Where the others wait for less than this share, no worker is the slowest: that changes from step to step.
_LEAST_SHARE = 0.1


class SlowestWorker(NamedTuple):
    """The worker that all others wait for.

    Attributes:
      name: such as "worker:1".
      share: for which share of the time all others wait for it, from 0 to 1.
    """

    name: str
    share: float

    def __str__(self) -> str:
        return "waits for {} {:.0f} % of the time".format(self.name, 100 * self.share)


def slowest_of(seconds: Dict[str, float]) -> Optional[SlowestWorker]:
    """Returns the worker that all others wait for; None if none is notably slower, or before it is known.

    Args:
      seconds: task -> the mean seconds per step in which it does not wait for others; empty before it is known.
    """
    ordered = sorted(seconds, key=lambda name: seconds[name])
    if len(ordered) < 2 or seconds[ordered[-1]] <= 0:
        return None
    share = 1 - seconds[ordered[-2]] / seconds[ordered[-1]]
    return SlowestWorker(ordered[-1], share) if share >= _LEAST_SHARE else None


class WorkerTimesHook(tf.train.SessionRunHook):
    """Measures the time of each step in which this worker does not wait for others, and gets the means of all.

    They are sent with the losses, or the votes to stop, so that no further message is needed. The time between two
    steps is part of a step: a worker that saves or evaluates lets the others wait, too.

    Attributes:
      seconds: name of each worker -> seconds of a step in which it did not wait, of the last steps; {} until they are
        known.
    """

    def __init__(
        self, workers: Workers, busy: Tensor, all_busy: Tensor, in_each_step: Tensor, is_sum: bool = False
    ) -> None:
        """
        Args:
          busy: float64 scalar placeholder: the seconds of this worker; 0 by default.
          all_busy: float64 of shape [workers]: those of all, in a step.
          in_each_step: a tensor that each step computes, and that `all_busy` is computed of.
          is_sum: whether `all_busy` has the sums of what was given in all steps of this session.
        """
        self.seconds: Dict[str, float] = {}
        self._names = workers.names
        self._device = workers.device
        self._busy = busy
        self._all_busy = all_busy
        self._is_sum = is_sum
        self._sums = np.zeros(workers.size)
        self._needs = RunNeeds([in_each_step.op])
        self._wait: Any = None
        self._is_step = self._sends_mean = False
        self._runs = self._measured = 0
        self._total = 0.0
        self._ended: Optional[float] = None

    def measure(self, train_op: Any) -> None:
        """Adds the operations that measure how long a step waits for all-reduces: when the train op is built."""
        # One in a branch, such as that of the steps in which local SGD averages, is not part of each step.
        collectives = [
            each for each in ancestors([train_op]) if is_collective(each) and not is_in_control_flow(each)
        ]
        # Those whose results others send, such as how many rows there are, come first.
        inner = ancestors([tensor for each in collectives for tensor in each.inputs])
        early = [each for each in collectives if each in inner]
        late = [each for each in collectives if each not in inner]
        with tf.device(self._device), tf.name_scope("worker_times"):
            waits = [_seconds_of(group) for group in (early, late) if group]
            self._wait = tf.add_n(waits + [tf.constant(0.0, tf.float64)])

    def measure_between(self, own: Sequence[Tensor], end: Any) -> None:
        """Adds the operations that measure how long a step waits: from when `own` are computed to the end of an op."""
        with tf.device(self._device), tf.name_scope("worker_times"):
            self._wait = _seconds_between([each.op for each in own], [end])

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Begins to measure: with the second step, since TensorFlow prepares the graph in the first one."""
        self._runs = self._measured = 0
        self._total, self._ended = 0.0, None
        self._sums = np.zeros(len(self._names))

    def before_run(self, run_context: Any) -> Any:
        """Fetches how long a step waits; in some steps it sends the mean of the last ones."""
        self._is_step = self._needs(run_context)
        if not self._is_step:
            return None
        self._runs += 1  # equally many in all workers
        self._sends_mean = self._runs == _FIRST_REPORT or self._runs % _STEPS_BETWEEN_REPORTS == 0
        if not self._sends_mean:
            return tf.train.SessionRunArgs([self._wait])
        mean = self._total / self._measured if self._measured else 0.0
        return tf.train.SessionRunArgs([self._wait, self._all_busy], {self._busy: mean})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Adds the time of a step, and keeps the means of all workers."""
        now = time.perf_counter()
        if self._is_step:
            if self._ended is not None:
                self._total += max(now - self._ended - float(run_values.results[0]), 0.0)
                self._measured += 1
            if self._sends_mean:
                values = np.asarray(run_values.results[1])
                if self._is_sum:
                    values, self._sums = values - self._sums, values
                self.seconds = dict(zip(self._names, values.tolist()))
                self._total, self._measured = 0.0, 0
        self._ended = now


def _seconds_of(operations: List[Any]) -> Tensor:
    """Returns for how long these operations wait for others: from when all could begin to when all have ended."""
    return _seconds_between([tensor.op for each in operations for tensor in each.inputs], operations)


def _seconds_between(before: List[Any], after: List[Any]) -> Tensor:
    """Returns the seconds from when all of these operations have ended to when all of the others have."""
    with tf.control_dependencies(before):
        begun = tf.timestamp()
    with tf.control_dependencies(after + [begun.op]):
        return tf.timestamp() - begun
