"""The commands of a worker: build the step, take turns, trace, record; replies are plain values for JSON."""
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import GENERATOR_OPS, draws_random_numbers, has_op_seed
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.base import Input
from legacy_towers.inputs.feeds.aligned import aligned_empty
from legacy_towers.inputs.from_graph.replay import ReplayedInput, read_batches
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.measure.resources import cpu_seconds, peak_memory_bytes
from legacy_towers.measure.timed_step import TimedStep
from legacy_towers.parity.first_steps import record_first_steps
from legacy_towers.parity.input_records import record_epoch, record_trajectory
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.training.building import build_job_step
from legacy_towers.training.choices import is_asynchronous, with_choices
from legacy_towers.training.devices import config_of_towers, tower_devices
from legacy_towers.training.job import Job, load_job

# Runs before anything is timed: the first ones create threads, memory pools and the tracer.
WARM_UP_STEPS = 3


class Tasks:
    """The commands of a worker: `do_NAME(arguments)` for {"do": "NAME", arguments}.

    Args:
      alive: called after each step, so that a long command is not taken for a hanging one.
    """

    def __init__(self, alive: Callable[[], None]) -> None:
        self._alive = alive
        self._job: Any = None
        self._timed: Any = None
        self._pipeline = ""
        self._towers: Any = None

    def do_build(
        self,
        job: str,
        options: Dict[str, Any],
        input: str,
        towers: int,
        device: str,
        per_tower_batch_size: int,
        variables: Optional[str] = None,
        reduction: Optional[str] = None,
        replay: bool = False,
    ) -> Dict[str, Any]:
        """Builds the step of a candidate, or the step on one cached batch of its input pipeline; runs a few steps.

        Args:
          variables: the name of the strategy for variables; None: the job's own.
          reduction: the name of the reduction; None: the job's own.
          replay: whether the step computes on one cached batch.

        Returns:
          {"plan": the step's Plan as a dict, "examples_per_update": examples per increment of the global step}
        """
        devices = tower_devices(device, towers)
        self._job = with_choices(load_job(job)(**options), variables, reduction, devices)
        self._pipeline = input
        config = config_of_towers(device, towers)
        self._towers = (devices, config, per_tower_batch_size)
        made = make_pipeline(input, self._job.train, per_tower_batch_size=per_tower_batch_size)
        self._timed = build_timed_step(self._job, made, devices, config, self._alive, replay)
        # Where towers are asynchronous, each one's own update moves the global step.
        by_step = 1 if is_asynchronous(self._job, devices) else towers
        return {"plan": self._timed.step.plan.as_dict(), "examples_per_update": per_tower_batch_size * by_step}

    def do_turn(self, settle: int, steps: Optional[int], seconds: float) -> Dict[str, Any]:
        """Takes a turn; see `TimedStep.turn`.

        Returns:
          A `Turn` as a dict, with "cpu_cores": CPU seconds per second of the process, settling included
        """
        # Outside the turn: listing a process's children takes milliseconds, in which the input pipeline prefetches.
        cpu, begin = cpu_seconds(), time.perf_counter()
        turn = self._timed.turn(settle, steps, seconds)
        passed = time.perf_counter() - begin
        return dict(turn._asdict(), cpu_cores=(cpu_seconds() - cpu) / passed)

    def do_trace(self, settle: int, steps: int, between: int) -> Dict[str, Any]:
        """Traces steps; see `TimedStep.trace`. Returns {"runs": a list of `TracedRun`s}."""
        return {"runs": self._timed.trace(settle, steps, between)}

    def do_resources(self) -> Dict[str, Any]:
        """Returns {"peak_memory_bytes": ...}."""
        return {"peak_memory_bytes": peak_memory_bytes()}

    def do_trajectory(self, steps: int, values_path: str) -> Dict[str, Any]:
        """Returns a `Trajectory` as a dict, or {"not_compared": why}; see `record_trajectory`."""
        random = self._random()
        if random is not None:
            return {"not_compared": "the losses were not compared: " + random}
        devices, config, size = self._towers
        return dict(record_trajectory(self._job, self._pipeline, devices, config, size, steps, values_path)._asdict())

    def do_epoch(self) -> Dict[str, Any]:
        """Returns an `Epoch` as a dict; see `record_epoch`."""
        return dict(record_epoch(self._job, self._pipeline, *self._towers)._asdict())

    def do_first_steps(self, input: str, steps: int, values_path: str, gradients_path: str) -> Dict[str, Any]:
        """Returns `FirstSteps` as a dict, or {"not_compared": why}; see `record_first_steps`.

        Args:
          input: the name of the input pipeline that all candidates read here.
        """
        random = self._random()
        if random is not None:
            return {"not_compared": random}
        devices, config, size = self._towers
        return dict(record_first_steps(
            self._job, input, devices, config, size, steps, values_path, gradients_path
        )._asdict())

    def _random(self) -> Optional[str]:
        """Returns why two graphs of the job can't be compared; None if they can."""
        random = random_operations(self._timed.step)
        if not random:
            return None
        return (
            "the model draws random numbers ({}), and others in each graph unless they have an explicit op "
            "seed".format(random[0])
        )


def build_timed_step(
    job: Job,
    source: Input,
    devices: Sequence[str],
    config: ConfigProto,
    alive: Callable[[], None] = lambda: None,
    replay: bool = False,
) -> TimedStep:
    """Builds a job's step in a graph of its own and runs `WARM_UP_STEPS` steps and one traced step.

    Args:
      replay: whether the step computes on one cached batch of the pipeline, fed from aligned arrays, so that it
        doesn't wait for input and copies nothing.

    Returns:
      The step in an open session; close it after use.
    """
    # A full trace also times GPU kernels, but starts a profiler for each step. On CPUs it adds nothing and takes 10 ms
    # or more, in which the input pipeline produces the batch that the step would have waited for.
    on_cpus = all("gpu" not in device.lower() for device in devices)
    level = tf.RunOptions.SOFTWARE_TRACE if on_cpus else tf.RunOptions.FULL_TRACE
    first = read_batches(source, devices, config, 1)[0] if replay else {}
    values = {name: _aligned(array) for name, array in first.items()}
    with tf.Graph().as_default():
        replayed = ReplayedInput(source)
        step = build_job_step(job, replayed if replay else source, devices)
        timed = TimedStep(step, config, replayed.feed_dict(values) if replay else None, level, alive)
    timed.turn(WARM_UP_STEPS, 1)
    timed.trace(0, 1, 0)
    return timed


def random_operations(step: TrainStep) -> List[str]:
    """Returns the names of the model's operations that draw different random numbers in each graph of the same job."""
    graph = step.loss.graph
    leaves = tf.nest.flatten(step.input.per_tower, expand_composites=True)
    forward = ancestors([tower.loss for tower in step.towers], leaves, graph)
    return sorted(
        operation.name for operation in forward
        if draws_random_numbers(operation) and operation.type not in GENERATOR_OPS
        # With a graph seed, TensorFlow derives each op seed from the number of operations created before it.
        and (graph.seed is not None or not has_op_seed(operation))
    )


def _aligned(array: np.ndarray) -> np.ndarray:
    if array.dtype.hasobject:
        return array
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy
