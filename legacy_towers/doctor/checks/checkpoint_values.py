"""LD602: a checkpoint has values that are NaN or infinite."""
from typing import Iterator

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.text.names import listed


@check("LD602", "nonfinite-checkpoint", ERROR, """
Variables in the checkpoint are NaN or infinite: training had diverged when it was saved, and goes on with these values
when it is restored. Every later loss is NaN.

Restore an older checkpoint, with a smaller learning rate or clipped gradients. `tf.train.NanTensorHook` ends training
before such a checkpoint is saved; `lt.training.session` does so by itself.
""")
def nonfinite_checkpoint(subject: Subject) -> Iterator[Evidence]:
    saved = subject.saved
    if saved is None:
        return
    found = []
    for name in sorted(saved.shapes):
        values = saved.values(name)
        if values is not None and values.nans + values.infinities:
            found.append("{!r} ({:,} NaN, {:,} infinite)".format(name, values.nans, values.infinities))
    if found:
        more = found[:3] + (["{:,} more".format(len(found) - 3)] if len(found) > 3 else [])
        yield Evidence(
            "", saved.prefix, "{:,} of {:,} values are NaN or infinite: {}".format(
                len(found), len(saved.shapes), listed(more)),
            "restore an older checkpoint",
        )
