"""What a worker does on command: build the step, take turns, trace; all figures are plain values for JSON."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.compare.built import BuiltStep, ReplayedStep
from legacy_towers.compat import tf
from legacy_towers.jobs import load_job

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

    def do_build(
        self,
        job: str,
        options: Dict[str, Any],
        way: str,
        towers: int,
        device: str,
        per_tower_batch_size: Optional[int],
        source: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Builds the step by a way in, or for REPLAY the step on a cached batch of `source`; runs a few steps.

        Returns:
          {"plan": the InputPlan as a dict, "tensorflow": its version, "oneDNN": ...}
        """
        self._job = load_job(job)(**options)
        size = self._job.per_tower_batch_size if per_tower_batch_size is None else per_tower_batch_size
        kind = ReplayedStep if way == REPLAY else BuiltStep
        self._built = kind(self._job, source or way, towers, device, size, self._alive)
        return {"plan": self._built.plan(), "tensorflow": tf.__version__}

    def do_turn(self, settle: int, steps: Optional[int], seconds: float) -> Dict[str, Any]:
        """Takes a turn; see `BuiltStep.turn`."""
        return dict(self._built.turn(settle, steps, seconds))

    def do_trace(self, settle: int, steps: int) -> Dict[str, Any]:
        """Traces steps; see `BuiltStep.trace`."""
        return dict(self._built.trace(settle, steps))

    def do_resources(self) -> Dict[str, Any]:
        """Returns {"peak_memory_bytes": ...}."""
        from legacy_towers.measure.resources import peak_memory_bytes

        return {"peak_memory_bytes": peak_memory_bytes()}


