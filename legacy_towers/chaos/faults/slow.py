"""Input that is slow for a while."""
import random
import time
from typing import List

from legacy_towers.chaos.faults.base import Fault, Plan, Scene, Shape
from legacy_towers.chaos.faults.records import drawn_read


class SlowInput(Fault):
    name = "slow"
    help = "some records take long to read"
    codes = (0,)
    promise = "the run ends as one that was not disturbed"
    reads = True

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        return {"step": step, "read": drawn_read(source, shape), "records": 10, "seconds": source.choice((0.01, 0.1))}

    def describe(self, plan: Plan) -> str:
        return "{} records from number {:,} on take {:g} s each".format(plan["records"], plan["read"], plan["seconds"])

    def install(self, plan: Plan, scene: Scene) -> None:
        slow: List[int] = []

        def wait(content: int) -> None:
            if not slow:
                scene.record()
            if len(slow) < plan["records"]:
                slow.append(content)
                time.sleep(plan["seconds"])

        scene.on_read(plan["read"], wait)
