"""A thread of the input that dies."""
import random
from typing import Any, Dict, List

from legacy_towers.chaos.faults.base import Fault, Plan, Scene, Shape
from legacy_towers.chaos.faults.records import drawn_read

_MESSAGE = "legacy-towers chaos ends this thread of the input"


class DeadThread(Fault):
    name = "threads"
    help = "an error in a thread of the input ends it"
    codes = (1,)
    promise = "exit code 1 and the error of the thread"
    reads = True

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        return {"step": step, "read": drawn_read(source, shape)}

    def describe(self, plan: Plan) -> str:
        return "the thread that reads record {:,} of the process dies".format(plan["read"])

    def install(self, plan: Plan, scene: Scene) -> None:
        dead: List[int] = []

        def die(content: int) -> None:
            if not dead:
                dead.append(content)
                scene.record()
                raise RuntimeError(_MESSAGE)

        scene.on_read(plan["read"], die)

    def problem(self, plan: Plan, recorded: Dict[str, Any], log: str) -> str:
        return "" if _MESSAGE in log else "the error of the thread is not reported"
