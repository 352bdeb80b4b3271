"""LD605: variables in a checkpoint that no gradient has reached."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.text.names import listed

# Sums of gradients or of their squares, which are 0 at first, and stay 0 only if each gradient was 0.
_SUMS = ("Adam_1", "Momentum", "Adadelta", "AdaMax_1")


@check("LD605", "untrained-variables", WARNING, """
The optimizer's sums of gradients (`w/Momentum`, `w/Adam_1`) are exactly 0 for some variables, and not for others: none
of the steps so far gave these variables a gradient other than 0. The loss does not depend on them, `tf.stop_gradient`
or a rounded value is in between, or their units never become active.

Compare `tf.gradients(loss, variable)` with what you expect, or leave the variables out of `var_list`.
""")
def untrained_variables(subject: Subject) -> Iterator[Evidence]:
    saved = subject.saved
    if saved is None:
        return
    slots = {name: owner for name, owner in saved.slots().items() if name.rpartition("/")[2] in _SUMS}
    summaries = {name: saved.values(name) for name in slots}
    zeros = sorted(
        slots[name] for name, each in summaries.items()
        if each is not None and each.lowest == each.highest == 0 and not each.nans + each.infinities
    )
    if zeros and len(zeros) < len(slots):
        more = [repr(each) for each in zeros[:3]] + (["{:,} more".format(len(zeros) - 3)] if len(zeros) > 3 else [])
        yield Evidence(
            "", saved.prefix, "{:,} of {:,} trained variables have had no gradient other than 0: {}".format(
                len(zeros), len(slots), listed(more)),
            "find out why the loss does not depend on them, or leave them out of var_list",
        )
