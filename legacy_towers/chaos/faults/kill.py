"""SIGKILL at a random moment: some milliseconds after a step, or at a random call of the code that saves."""
import os
import random
import signal
import sys
import threading
from typing import Any

from legacy_towers.chaos.faults.base import Fault, Plan, Scene, Shape

_SAVING = os.path.join("training", "checkpoints", "")
# Calls of the code that saves: about 300 belong to one checkpoint.
_CALLS = 300


class Kill(Fault):
    name = "kill"
    help = "SIGKILL some milliseconds after a step, or at any call of the code that saves a checkpoint"
    codes = (-signal.SIGKILL,)
    promise = "the next process resumes from a checkpoint"

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        if source.random() < 0.5:
            return {"step": step, "call": source.randrange(1, _CALLS)}
        return {"step": step, "seconds": drawn_seconds(source, shape)}

    def describe(self, plan: Plan) -> str:
        if "call" in plan:
            return "SIGKILL at call {} of saving after step {}".format(plan["call"], plan["step"])
        return "SIGKILL {:.1f} ms after step {}".format(1000 * plan["seconds"], plan["step"])

    def install(self, plan: Plan, scene: Scene) -> None:
        def kill() -> None:
            scene.record()
            os.kill(os.getpid(), signal.SIGKILL)

        if "call" in plan:
            scene.at_step(plan["step"], lambda: _at_call(plan["call"], kill))
        else:
            scene.at_step(plan["step"], lambda: scene.later(plan["seconds"], kill))


def drawn_seconds(source: random.Random, shape: Shape) -> float:
    """Returns a time within about the next three steps."""
    return round(source.random() * 3 * shape.step_seconds, 4)


def _at_call(number: int, act: Any) -> None:
    """Calls `act` at a call or return, of Python or C, in the code that saves, in this thread or one that starts."""
    left = [number]

    def count(frame: Any, event: str, argument: Any) -> None:
        if _SAVING in frame.f_code.co_filename:
            left[0] -= 1
            if left[0] == 0:
                act()

    threading.setprofile(count)
    sys.setprofile(count)
