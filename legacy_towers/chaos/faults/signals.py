"""SIGTERM and SIGINT (Ctrl-C) at a random moment."""
import os
import random
import signal
from typing import Sequence

from legacy_towers.chaos.faults.base import Fault, Plan, Scene, Shape
from legacy_towers.chaos.faults.kill import drawn_seconds

_NUMBERS = {"SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}


class Signal(Fault):
    name = "signal"
    help = "SIGTERM or SIGINT (Ctrl-C) some milliseconds after a step"
    promise = "exit code 143 or 130, with a checkpoint of the last step"
    loses_no_step = True

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        return {
            "step": step, "signal": source.choice(sorted(_NUMBERS)), "seconds": drawn_seconds(source, shape),
        }

    def describe(self, plan: Plan) -> str:
        return "{} {:.1f} ms after step {}".format(plan["signal"], 1000 * plan["seconds"], plan["step"])

    def codes_of(self, plan: Plan) -> Sequence[int]:
        return (128 + _NUMBERS[plan["signal"]],)

    def install(self, plan: Plan, scene: Scene) -> None:
        def send() -> None:
            scene.record()
            os.kill(os.getpid(), _NUMBERS[plan["signal"]])

        scene.at_step(plan["step"], lambda: scene.later(plan["seconds"], send))
