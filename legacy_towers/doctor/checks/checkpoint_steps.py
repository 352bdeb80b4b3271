"""LD606: a checkpoint has several global steps."""
import re
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.text.names import listed

_STEP = re.compile(r"global_step(?:_\d+)?$")


@check("LD606", "several-global-steps", WARNING, """
The checkpoint has several scalars with the name of the global step, `global_step` and `global_step_1` for instance:
the script makes it more than once. What increments one (the optimizer) and what reads another (a learning rate
schedule, the name of the next checkpoint, `StopAtStepHook`) then disagree.

Use `tf.train.get_or_create_global_step()` everywhere.
""")
def several_global_steps(subject: Subject) -> Iterator[Evidence]:
    saved = subject.saved
    if saved is None:
        return
    steps = {
        name: saved.values(name) for name, shape in saved.shapes.items()
        if not shape and _STEP.match(name.rpartition("/")[2])
    }
    shown = [
        "{!r} is {:,.0f}".format(name, each.highest) for name, each in sorted(steps.items()) if each is not None
    ]
    if len(shown) > 1:
        yield Evidence("", saved.prefix, "it has {} global steps: {}".format(len(shown), listed(shown)),
                       "use tf.train.get_or_create_global_step() everywhere")
