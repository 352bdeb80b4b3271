"""A job's step in a session that stays open between turns: what a worker measures."""
import time
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.inputs.aligned import aligned_empty
from legacy_towers.inputs.base import Input, InputHook
from legacy_towers.inputs.replay import ReplayedInput, parts_of
from legacy_towers.inputs.ways import make_way
from legacy_towers.jobs import Job
from legacy_towers.measure.resources import cpu_seconds
from legacy_towers.measure.step_ops import step_ops
from legacy_towers.measure.waiting import stretches, traced_step
from legacy_towers.training.building import build_job_step
from legacy_towers.training.places import tower_devices

# Runs before anything is timed: the first ones make threads, memory pools and the tracer.
WARM_UP_STEPS = 3


class BuiltStep:
    """The step of a job by one way in, warm and ready for turns.

    Args:
      job: the job.
      way: the way in.
      towers, device, per_tower_batch_size: the towers.
      alive: called after each step.
    """

    def __init__(
        self, job: Job, way: str, towers: int, device: str, per_tower_batch_size: int, alive: Callable[[], None]
    ) -> None:
        self._alive = alive
        devices = tower_devices(device, towers)
        config = worker_config(device, towers)
        source = make_way(way, job.train, per_tower_batch_size=per_tower_batch_size)
        with tf.Graph().as_default():
            source = self._source(source, devices, config)
            self._step = build_job_step(job, source, devices)
            self._pulls = {operation.name for operation in self._step.input.pulls}
            self._session = tf.train.SingularMonitoredSession(hooks=self._step.hooks, config=config)
        self._hooks = [hook for hook in self._step.hooks if isinstance(hook, InputHook)]
        for _ in range(WARM_UP_STEPS):
            self._run()
        self._trace_one()

    def _source(self, source: Input, devices: List[str], config: Any) -> Input:
        return source

    def _feed(self) -> Optional[Dict[Any, Any]]:
        return None

    def plan(self) -> Dict[str, Any]:
        """Returns the way in's plan as a dict."""
        return dict(self._step.input.plan._asdict())

    def turn(self, settle: int, steps: Optional[int], seconds: float) -> Dict[str, Any]:
        """Runs some steps that don't count, then timed ones.

        Args:
          settle: how many don't count.
          steps: how many count; None: until `seconds` have passed.

        Returns:
          {"step_seconds": [...], "seconds": of all timed steps together, "cpu_seconds": of the process meanwhile,
          "fed_bytes", "copied_bytes": by hooks meanwhile}
        """
        for _ in range(settle):
            self._run()
        times: List[float] = []
        fed, copied = self._total("fed_bytes"), self._total("copied_bytes")
        cpu, begin = cpu_seconds(), time.perf_counter()
        before = begin
        while len(times) < steps if steps is not None else before - begin < seconds:
            self._run()
            now = time.perf_counter()
            times.append(now - before)
            before = now
        return {
            "step_seconds": times,
            "seconds": before - begin,
            "cpu_seconds": cpu_seconds() - cpu,
            "fed_bytes": self._total("fed_bytes") - fed,
            "copied_bytes": self._total("copied_bytes") - copied,
        }

    def trace(self, settle: int, steps: int) -> Dict[str, Any]:
        """Traces steps, after some that don't count.

        Returns:
          {"waiting_shares": one per step, "timeline": stretches of the step whose share is the median}
        """
        for _ in range(settle):
            self._run()
        found = sorted((self._trace_one() for _ in range(steps)), key=lambda traced: traced[0].waiting_share)
        middle, ops = found[len(found) // 2]
        return {
            "waiting_shares": [traced.waiting_share for traced, _ in found],
            "timeline": stretches(middle, ops, self._pulls),
        }

    def _run(self) -> None:
        self._session.run(self._step.train_op, feed_dict=self._feed())
        self._alive()

    def _trace_one(self) -> Any:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        waited = self._total("waited_seconds")
        start = int(time.time() * 1e9)  # the clock that traces are in
        self._session.run(self._step.train_op, feed_dict=self._feed(), options=options, run_metadata=metadata)
        self._alive()
        waited = self._total("waited_seconds") - waited
        ops = step_ops(metadata.step_stats)
        return traced_step(ops, self._pulls, start, int(waited * 1e9)), ops

    def _total(self, attribute: str) -> float:
        return float(sum(getattr(hook, attribute) for hook in self._hooks))


class ReplayedStep(BuiltStep):
    """The step on one cached batch of a way in, fed from aligned arrays: nothing is pulled and nothing copied."""

    def _source(self, source: Input, devices: List[str], config: Any) -> Input:
        batch = first_batch(source, devices, config)
        self._values = {name: _aligned(array) for name, array in batch.items()}
        self._replayed = ReplayedInput(source)
        return self._replayed

    def _feed(self) -> Optional[Dict[Any, Any]]:
        return self._replayed.feed_dict(self._values)


def worker_config(device: str, towers: int) -> Any:
    """Returns the session's tf.ConfigProto: several processes share the GPUs, so each takes memory as it needs it."""
    if device == "cpu":
        return session_config(logical_cpus=towers)
    return session_config(allow_growth=True)


def first_batch(source: Input, devices: List[str], config: Any) -> Dict[str, np.ndarray]:
    """Returns the first batch by a way in, in a graph of its own, by the names of `parts_of`."""
    with tf.Graph().as_default():
        batches = source.build(devices)
        # By identities: a session gives back what was fed without looking at it.
        parts = {name: tf.identity(part) for name, part in parts_of(batches).items()}
        with tf.train.SingularMonitoredSession(hooks=batches.hooks, config=config) as session:
            return {name: np.array(value) for name, value in session.run(parts).items()}


def _aligned(array: np.ndarray) -> np.ndarray:
    if array.dtype.hasobject:
        return array
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy
