"""A job's step in a session that stays open between turns: what a worker measures."""
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.graph_walk import ancestors
from legacy_towers.inputs.aligned import aligned_empty
from legacy_towers.inputs.base import Input, InputHook
from legacy_towers.inputs.replay import ReplayedInput, parts_of
from legacy_towers.jobs import Job
from legacy_towers.measure.resources import cpu_seconds
from legacy_towers.measure.step_ops import step_ops
from legacy_towers.measure.waiting import stretches, traced_step
from legacy_towers.training.building import build_job_step

# Runs before anything is timed: the first ones make threads, memory pools and the tracer.
WARM_UP_STEPS = 3


def _nothing() -> None:
    pass


class BuiltStep:
    """The step of a candidate, warm and ready for turns.

    Args:
      job: the job.
      source: the way in.
      devices: one device string per tower.
      config: the session's tf.ConfigProto.
      alive: called after each step.
    """

    def __init__(
        self, job: Job, source: Input, devices: Sequence[str], config: Any, alive: Callable[[], None] = _nothing
    ) -> None:
        self._alive = alive
        # The full trace times kernels of GPUs too, but starts a profiler for each step: on CPUs, where it adds nothing,
        # that takes 10 ms and more, in which the input is made ahead that the step would have waited for.
        on_cpus = all("gpu" not in device.lower() for device in devices)
        self._trace_level = tf.RunOptions.SOFTWARE_TRACE if on_cpus else tf.RunOptions.FULL_TRACE
        with tf.Graph().as_default():
            self._step = build_job_step(job, self._source(source, devices, config), devices)
            self._pulls = {operation.name for operation in self._step.input.pulls}
            self._train_ops = self._step.train_ops()
            self._session = tf.train.SingularMonitoredSession(hooks=self._step.hooks, config=config)
        self._hooks = [hook for hook in self._step.hooks if isinstance(hook, InputHook)]
        for _ in range(WARM_UP_STEPS):
            self._run()
        self._run_traced()

    def _source(self, source: Input, devices: Sequence[str], config: Any) -> Input:
        return source

    def _feed(self) -> Optional[Dict[Any, Any]]:
        return None

    def close(self) -> None:
        """Closes the session and joins the way in's threads."""
        self._session.close()

    def plan(self) -> Dict[str, Any]:
        """Returns the step's plan as a dict."""
        return self._step.plan.as_dict()

    def random_operations(self) -> List[str]:
        """Returns the model's operations that draw other random numbers in another graph of the same job."""
        graph = self._step.loss.graph
        leaves = tf.nest.flatten(self._step.input.per_tower, expand_composites=True)
        forward = ancestors([tower.loss for tower in self._step.towers], leaves, graph)
        return sorted(
            operation.name for operation in forward
            if ("Random" in operation.type or operation.type in ("TruncatedNormal", "Multinomial"))
            and not operation.type.startswith("Stateless")
            # With a seed of the graph, an op's own is counted by the operations before it.
            and (graph.seed is not None or not (operation.get_attr("seed") or operation.get_attr("seed2")))
        )

    def turn(self, settle: int, steps: Optional[int], seconds: float) -> Dict[str, Any]:
        """Runs some steps that don't count, then timed ones.

        Args:
          settle: how many don't count.
          steps: how many count; None: until `seconds` have passed.

        Returns:
          {"step_seconds": [...], "seconds": of all timed steps together, "updates": by how much the global step grew
          meanwhile, "cpu_seconds": of the process meanwhile, "fed_bytes", "copied_bytes": by hooks meanwhile}
        """
        for _ in range(settle):
            self._run()
        times: List[float] = []
        fed, copied = self._total("fed_bytes"), self._total("copied_bytes")
        cpu, updates, begin = cpu_seconds(), self._global_step(), time.perf_counter()
        before = begin
        while len(times) < steps if steps is not None else before - begin < seconds:
            self._run()
            now = time.perf_counter()
            times.append(now - before)
            before = now
        updates = self._global_step() - updates
        return {
            "step_seconds": times,
            "seconds": before - begin,
            "updates": updates,
            "cpu_seconds": cpu_seconds() - cpu,
            "fed_bytes": self._total("fed_bytes") - fed,
            "copied_bytes": self._total("copied_bytes") - copied,
        }

    def trace(self, settle: int, steps: int, between: int) -> Dict[str, Any]:
        """Traces steps.

        Args:
          settle: steps before the first one that aren't traced.
          steps: how many are traced.
          between: steps between them that aren't: tracing takes time, in which input is made ahead.

        Returns:
          {"waiting_shares": one per traced step, "timeline": stretches of the step whose share is the median}
        """
        runs = []
        for number in range(steps):
            for _ in range(between if number else settle):
                self._run()
            runs.append(self._run_traced())
        found = []
        for metadata, waited in runs:
            ops = step_ops(metadata.step_stats)
            found.append((traced_step(ops, self._pulls, int(waited * 1e9)), ops))
        found.sort(key=lambda each: each[0].waiting_share)
        middle, ops = found[len(found) // 2]
        return {
            "waiting_shares": [traced.waiting_share for traced, _ in found],
            "timeline": stretches(middle, ops, self._pulls),
        }

    def _global_step(self) -> int:
        # Past the hooks, which would feed a batch.
        return int(self._session.raw_session().run(self._step.global_step))

    def _run(self) -> None:
        self._session.run(next(self._train_ops), feed_dict=self._feed())
        self._alive()

    def _run_traced(self) -> Tuple[Any, float]:
        """Returns the step's RunMetadata, and for how many seconds hooks made or waited for its batch."""
        metadata = tf.RunMetadata()
        before = self._total("waited_seconds")
        options = tf.RunOptions(trace_level=self._trace_level)
        self._session.run(next(self._train_ops), feed_dict=self._feed(), options=options, run_metadata=metadata)
        self._alive()
        return metadata, self._total("waited_seconds") - before

    def _total(self, attribute: str) -> float:
        return float(sum(getattr(hook, attribute) for hook in self._hooks))


class ReplayedStep(BuiltStep):
    """The step on one cached batch of a way in, fed from aligned arrays: nothing is pulled and nothing copied."""

    def _source(self, source: Input, devices: Sequence[str], config: Any) -> Input:
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


def first_batch(source: Input, devices: Sequence[str], config: Any) -> Dict[str, np.ndarray]:
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
