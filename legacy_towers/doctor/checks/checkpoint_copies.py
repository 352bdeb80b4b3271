"""LD603: a checkpoint has each variable of the model several times."""
import re
from typing import Dict, Iterator, List, Tuple

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject

# What numbers the copies: "w_1", "tower_1/w", "model_2/conv/w". TensorFlow gives the first no number.
_NUMBER = re.compile(r"_?(\d+)(?=/|$)")


@check("LD603", "copied-variables", WARNING, """
Each variable of the model is in the checkpoint several times, with one shape and names that differ by a number: `w`
and `w_1`, or `tower_0/w` and `tower_1/w`. `tf.Variable` makes a new variable in each tower, so that each tower trains
a model of its own with a part of the data. Where copies are intended, as in replicated training, ignore this check: a
checkpoint does not show which graph it is from.

Create variables by `tf.get_variable`, and towers under `tf.variable_scope(tf.get_variable_scope(), reuse=i > 0)`.
""")
def copied_variables(subject: Subject) -> Iterator[Evidence]:
    if subject.saved is None:
        return
    copies = _copies(subject)
    counts = {len(each) for each in copies.values()}
    if len(copies) > 1 and len(counts) == 1 and counts.pop() > 1:
        names = min(copies.values())
        yield Evidence(
            "", subject.saved.prefix,
            "each of the {:,} variables of the model is there {} times, such as {} and {!r}: if towers made them, each "
            "tower trains a model of its own".format(
                len(copies), len(names), ", ".join(map(repr, names[:-1])), names[-1]),
            "create variables by tf.get_variable, and reuse them in each tower",
        )


def _copies(subject: Subject) -> Dict[Tuple[str, Tuple[int, ...]], List[str]]:
    """Returns {(name without numbers, shape): the names that have it}, of all variables but scalars and slots."""
    saved = subject.saved
    assert saved is not None
    slots = saved.slots()
    found: Dict[Tuple[str, Tuple[int, ...]], List[str]] = {}
    for name, shape in sorted(saved.shapes.items()):
        if shape and name not in slots:
            found.setdefault((_NUMBER.sub("", name), shape), []).append(name)
    return found
