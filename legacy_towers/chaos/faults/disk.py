"""A full disk: from a step on, no file of the process can grow beyond a small size."""
import random
from typing import Any, Dict

from legacy_towers.chaos.faults.base import Fault, Plan, Scene, Shape


class FullDisk(Fault):
    name = "disk"
    help = "from a step on no file can grow, as on a full disk (RLIMIT_FSIZE)"
    codes = (1,)
    promise = "exit code 1 and an error that says what can't be written; earlier checkpoints stay"

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        return {"step": step, "bytes": source.choice((0, 100, 1000))}

    def describe(self, plan: Plan) -> str:
        return "files of at most {} bytes after step {}".format(plan["bytes"], plan["step"])

    def install(self, plan: Plan, scene: Scene) -> None:
        def fill() -> None:
            import resource  # not on Windows

            scene.record()
            _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (plan["bytes"], hard))

        scene.at_step(plan["step"], fill)

    def problem(self, plan: Plan, recorded: Dict[str, Any], log: str) -> str:
        return "" if "can't be written" in log else "the error does not say that a checkpoint can't be written"
