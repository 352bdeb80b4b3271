"""LD604: moving averages in a checkpoint that were never updated."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject


@check("LD604", "initial-moving-averages", WARNING, """
Training has made steps, and every moving mean of batch normalization in the checkpoint is 0 and every moving variance
is 1, their initial values: the operations in `tf.GraphKeys.UPDATE_OPS` never ran. Training looks well, and the
evaluation, which reads these averages, is wrong.

Create the training operation, `train_op = optimizer.minimize(loss)`, under `with
tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):`, and train again: the averages can't be computed
from the checkpoint alone.
""")
def initial_moving_averages(subject: Subject) -> Iterator[Evidence]:
    saved = subject.saved
    if saved is None or not saved.global_step():
        return
    values = {
        name: saved.values(name) for name in saved.shapes if name.endswith(("/moving_mean", "/moving_variance"))
    }
    if values and all(
        each is not None and each.nans + each.infinities == 0 and each.lowest == each.highest
        and each.highest == (1.0 if name.endswith("variance") else 0.0)
        for name, each in values.items()
    ):
        message = "after {:,} steps, all {:,} moving averages, such as {!r}, have their initial values"
        yield Evidence(
            "", saved.prefix, message.format(saved.global_step(), len(values), min(values)),
            "run the operations in tf.GraphKeys.UPDATE_OPS with each training step",
        )
