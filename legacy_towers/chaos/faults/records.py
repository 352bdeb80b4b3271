"""A corrupt record: one example that can't be parsed."""
import os
import random
import re
from typing import Any, Dict, List

from legacy_towers.chaos.faults.base import Fault, Plan, Scene, Shape

_MESSAGE = "this record is corrupt: legacy-towers chaos has made it so"
_ERROR = re.compile("legacy-towers: error: ")


class CorruptRecord(Fault):
    name = "records"
    help = "one record can't be parsed"
    codes = (1,)
    promise = "exit code 1 and an error that names the file and the record"
    reads = True

    def draw(self, source: random.Random, shape: Shape, step: int) -> Plan:
        return {"step": step, "read": drawn_read(source, shape)}

    def describe(self, plan: Plan) -> str:
        return "record {:,} that the process reads is corrupt".format(plan["read"])

    def install(self, plan: Plan, scene: Scene) -> None:
        bad: List[int] = []

        def check(content: int) -> None:
            if not bad:
                bad.append(content)
                scene.record(files=[os.path.basename(path) for path in scene.paths()])
            if content in bad:  # also when it is read again, to be named
                raise ValueError(_MESSAGE)

        scene.on_read(plan["read"], check)

    def problem(self, plan: Plan, recorded: Dict[str, Any], log: str) -> str:
        (error,) = [line for line in log.splitlines() if _ERROR.match(line)][-1:] or [""]
        if not recorded["files"]:  # arrays and generators have no records to name
            return "" if _MESSAGE in log else "the error does not say that an example can't be read"
        named = [name for name in recorded["files"] if name in error]
        return "" if named and _MESSAGE in error else "the error does not name the file and the record"


def drawn_read(source: random.Random, shape: Shape) -> int:
    """Returns the number of a record that each process reads, also one that resumes near the end: inputs read ahead."""
    return source.randrange(1, max(2, shape.examples_per_step))
