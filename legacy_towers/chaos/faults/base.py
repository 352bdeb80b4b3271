"""`Fault`: what happens to a run, and what the run must do then.

A fault is one file in this folder, with a subclass of `Fault` and a row in `FAULTS` (`__init__.py`).
"""
import random
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

Plan = Dict[str, Any]


class Shape(NamedTuple):
    """The size of the runs.

    Attributes:
      steps: the last step.
      examples_per_step: of all towers.
      step_seconds: the median time from step to step of the run that is not disturbed.
    """

    steps: int
    examples_per_step: int
    step_seconds: float


class Scene:
    """What a fault can do in the process of a run. `worker.py` has the implementation."""

    def at_step(self, step: int, act: Callable[[], None]) -> None:
        """Calls `act` once, after the first step whose number is at least `step`, or when a session begins there."""
        raise NotImplementedError

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Calls `act` in a thread after some seconds, or when the session ends before."""
        raise NotImplementedError

    def on_read(self, count: int, act: Callable[[int], None]) -> None:
        """Calls `act` with a checksum of each example that the input reads, from number `count` of the process on."""
        raise NotImplementedError

    def poison_loss(self, step: int) -> None:
        """Makes the losses of a step NaN."""
        raise NotImplementedError

    def record(self, **more: Any) -> None:
        """Records that the fault happens now, with values for `Fault.problem`.

        `bad_step` is a step that no checkpoint may contain.
        """
        raise NotImplementedError

    def paths(self) -> List[str]:
        """Returns the files of the training examples; [] for those that are not read from files."""
        raise NotImplementedError


class Fault:
    """A fault.

    Attributes:
      name: as in --faults.
      help: what it does, for the documentation.
      codes: the exit codes of a process to which it happens.
      promise: what the process must do then, in a clause.
      reads: whether it needs `Scene.on_read`.
      poisons: whether it needs `Scene.poison_loss`.
      loses_no_step: whether each step that was recorded must be part of the checkpoint from which the next process
        resumes.
    """

    name = ""
    help = ""
    codes: Sequence[int] = ()
    promise = ""
    reads = False
    poisons = False
    loses_no_step = False

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        """Returns, as values for JSON, how the fault happens at a step."""
        raise NotImplementedError

    def describe(self, plan: Plan) -> str:
        """Returns the same in words, such as "SIGTERM after step 7"."""
        raise NotImplementedError

    def install(self, plan: Plan, scene: Scene) -> None:
        """Prepares the fault in the process of a run."""
        raise NotImplementedError

    def codes_of(self, plan: Plan) -> Sequence[int]:
        """Returns the exit codes of a process to which it happens in this way."""
        return self.codes

    def problem(self, plan: Plan, recorded: Dict[str, Any], log: str) -> str:
        """Returns what the process did not say of the fault, in a clause; "" if it said what it must.

        Args:
          recorded: what `record` was given.
          log: the standard error of the process.
        """
        return ""
