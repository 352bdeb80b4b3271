"""What a worker does on command: build the step, take turns, trace; all figures are plain values for JSON."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.compare.built import BuiltStep, ReplayedStep, worker_config
from legacy_towers.inputs.ways import make_way
from legacy_towers.jobs import load_job
from legacy_towers.measure.resources import peak_memory_bytes
from legacy_towers.parity.first_steps import record_first_steps
from legacy_towers.parity.way_records import record_epoch, record_trajectory
from legacy_towers.training.choices import is_asynchronous, with_choices
from legacy_towers.training.places import tower_devices


class Tasks:
    """The commands of a worker: `do_NAME(arguments)` for {"do": "NAME", arguments}.

    Args:
      alive: called now and then during long work.
    """

    def __init__(self, alive: Callable[[], None]) -> None:
        self._alive = alive
        self._job: Any = None
        self._built: Any = None
        self._way = ""
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
        """Builds the step of a candidate, or the step on one cached batch of its way in; runs a few steps.

        Args:
          job: a JOB, as the command line takes it.
          options: the job's own options.
          input: the way in.
          towers, device, per_tower_batch_size: the towers.
          variables: the strategy's name; None: the job's own.
          reduction: its name; None: the job's own.
          replay: whether it is the step on a cached batch.

        Returns:
          {"plan": the step's Plan as a dict, "examples_per_update": how many one step of the global step stands for}
        """
        devices = tower_devices(device, towers)
        self._job = with_choices(load_job(job)(**options), variables, reduction, devices)
        self._way = input
        config = worker_config(device, towers)
        self._towers = (devices, config, per_tower_batch_size)
        made = make_way(input, self._job.train, per_tower_batch_size=per_tower_batch_size)
        kind = ReplayedStep if replay else BuiltStep
        self._built = kind(self._job, made, devices, config, self._alive)
        # Where towers are asynchronous, each one's own update moves the global step.
        by_step = 1 if is_asynchronous(self._job, devices) else towers
        return {"plan": self._built.plan(), "examples_per_update": per_tower_batch_size * by_step}

    def do_turn(self, settle: int, steps: Optional[int], seconds: float) -> Dict[str, Any]:
        """Takes a turn; see `BuiltStep.turn`."""
        return dict(self._built.turn(settle, steps, seconds))

    def do_trace(self, settle: int, steps: int, between: int) -> Dict[str, Any]:
        """Traces steps; see `BuiltStep.trace`."""
        return dict(self._built.trace(settle, steps, between))

    def do_resources(self) -> Dict[str, Any]:
        """Returns {"peak_memory_bytes": ...}."""
        return {"peak_memory_bytes": peak_memory_bytes()}

    def do_trajectory(self, steps: int, values_path: str) -> Dict[str, Any]:
        """Returns a `Trajectory` as a dict, or {"not_compared": why}; see `record_trajectory`."""
        random = self._random()
        if random is not None:
            return {"not_compared": "the losses were not compared: " + random}
        devices, config, size = self._towers
        return dict(record_trajectory(self._job, self._way, devices, config, size, steps, values_path)._asdict())

    def do_epoch(self) -> Dict[str, Any]:
        """Returns an `Epoch` as a dict; see `record_epoch`."""
        return dict(record_epoch(self._job, self._way, *self._towers)._asdict())

    def do_first_steps(self, input: str, steps: int, values_path: str, gradients_path: str) -> Dict[str, Any]:
        """Returns `FirstSteps` as a dict, or {"not_compared": why}; see `record_first_steps`.

        Args:
          input: the way in that all candidates take for it.
        """
        random = self._random()
        if random is not None:
            return {"not_compared": random}
        devices, config, size = self._towers
        return dict(record_first_steps(
            self._job, input, devices, config, size, steps, values_path, gradients_path
        )._asdict())

    def _random(self) -> Optional[str]:
        """Returns why what one graph computes can't be held against another's; None if it can."""
        random = self._built.random_operations()
        if not random:
            return None
        return (
            "the model draws random numbers ({}), and others in each graph unless they have an explicit op "
            "seed".format(random[0])
        )
