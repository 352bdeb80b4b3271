"""Predictions for the test examples, in their order, on one device."""
from typing import Any, Iterator

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.jobs import Job
from legacy_towers.towers.output import PREDICT
from legacy_towers.training.restored import restored_model


def predict(
    job: Job, checkpoint_dir: str, batch_size: int = 100, device: str = "/cpu:0", soft_placement: bool = False
) -> Iterator[Any]:
    """Yields the prediction for each test example, in order: a structure of numpy arrays without the batch axis.

    Args:
      job, checkpoint_dir, batch_size, soft_placement: as in `evaluate`.
      device: a device string; one device alone keeps the order.

    Raises:
      JobError: no test examples, no fitting checkpoint, no predictions, or some of another length than the batch.
    """
    with restored_model(job, checkpoint_dir, PREDICT, batch_size, [device], soft_placement) as model:
        predictions = model.outputs[0].predictions
        if predictions is None:
            raise JobError("the model function returned no predictions for mode 'predict'")
        while True:
            try:
                values, count = model.session.run([predictions, model.counts[0]])
            except tf.errors.OutOfRangeError:
                return
            for _, part in structure.leaves(values):
                if part.shape[:1] != (count,):
                    raise JobError(
                        "a prediction has shape {} for a batch of {} examples: its first axis must be the "
                        "example".format(list(part.shape), count)
                    )
            for index in range(count):
                yield structure.map_leaves(lambda part: part[index], values)  # noqa: B023 - used at once
