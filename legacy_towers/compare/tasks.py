"""What a worker does on command: build the step, take turns, trace; all figures are plain values for JSON."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.compare.built import BuiltStep, ReplayedStep, worker_config
from legacy_towers.inputs.ways import make_way
from legacy_towers.jobs import load_job
from legacy_towers.measure.resources import peak_memory_bytes
from legacy_towers.parity.way_records import record_epoch, record_trajectory
from legacy_towers.training.places import tower_devices

REPLAY = "replay"  # in place of a way in: the step on one cached batch


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
        way: str,
        towers: int,
        device: str,
        per_tower_batch_size: int,
        source: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Builds the step by a way in, or for REPLAY the step on a cached batch of `source`; runs a few steps.

        Returns:
          {"plan": the InputPlan as a dict}
        """
        self._job = load_job(job)(**options)
        self._way = way
        devices, config = tower_devices(device, towers), worker_config(device, towers)
        self._towers = (devices, config, per_tower_batch_size)
        made = make_way(source or way, self._job.train, per_tower_batch_size=per_tower_batch_size)
        kind = ReplayedStep if way == REPLAY else BuiltStep
        self._built = kind(self._job, made, devices, config, self._alive)
        return {"plan": self._built.plan()}

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
        random = self._built.random_operations()
        if random:
            return {"not_compared": (
                "the losses were not compared: the model draws random numbers ({}), and others in each graph unless "
                "they have an explicit op seed".format(random[0])
            )}
        devices, config, size = self._towers
        return dict(record_trajectory(self._job, self._way, devices, config, size, steps, values_path)._asdict())

    def do_epoch(self) -> Dict[str, Any]:
        """Returns an `Epoch` as a dict; see `record_epoch`."""
        return dict(record_epoch(self._job, self._way, *self._towers)._asdict())
