"""A step whose loss is NaN."""
import random
from typing import Any, Dict

from legacy_towers.chaos.faults.base import Fault, Plan, Scene, Shape


class NanLoss(Fault):
    name = "nan"
    help = "the losses of one step are NaN"
    codes = (1,)
    promise = "exit code 1 and an error that names the step; no checkpoint of that step"
    poisons = True

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        return {"step": step + 1}

    def describe(self, plan: Plan) -> str:
        return "the loss of step {} is NaN".format(plan["step"])

    def install(self, plan: Plan, scene: Scene) -> None:
        scene.poison_loss(plan["step"])

    def problem(self, plan: Plan, recorded: Dict[str, Any], log: str) -> str:
        named = "NaN at global step {}".format(plan["step"]) in log
        return "" if named else "the error does not name a loss of NaN at step {}".format(plan["step"])
