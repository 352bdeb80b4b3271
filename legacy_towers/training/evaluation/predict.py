"""Predicts the test examples of a job, in order, on one device, and writes predictions to files."""
import json
import os
import sys
from typing import Any, Dict, Iterable, Iterator, List, Optional, TextIO

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import JobError
from legacy_towers.towers.output import PREDICT
from legacy_towers.training.checkpoints.best import chosen_checkpoint
from legacy_towers.training.evaluation.restored_model import RestorableModel
from legacy_towers.training.job import Job


def predict(
    job: Job,
    checkpoint_dir: str,
    batch_size: int = 100,
    device: str = "/cpu:0",
    soft_placement: bool = False,
    stream: Optional[TextIO] = None,
    best: bool = False,
) -> Iterator[Any]:
    """Yields the prediction for each test example, in order: a structure of numpy arrays without the batch axis.

    Args:
      job, checkpoint_dir, batch_size, soft_placement, stream, best: as in `evaluate`.
      device: a device string.

    Raises:
      JobError: there are no test examples, no checkpoint that fits, no predictions, or predictions whose first axis is
        not the batch.
    """
    if job.test is None:
        raise JobError("the job has no test examples: give lt.Job(test=...)")
    checkpoint = chosen_checkpoint(checkpoint_dir, best)
    model = RestorableModel(job.model_fn, job.test, PREDICT, batch_size, [device], job.moving_average_decay, stream)
    predictions = model.outputs[0].predictions
    if predictions is None:
        raise JobError("the model function returned no predictions for mode 'predict'")
    with model.restored(checkpoint, soft_placement) as (session, _):
        while True:
            try:
                values, count = session.run([predictions, model.counts[0]])
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


def write_predictions(predictions: Iterable[Any], path: Optional[str]) -> int:
    """Writes one prediction per example and returns their number.

    Args:
      predictions: structures of numpy arrays, without the batch axis.
      path: a file that ends in .jsonl or .npz, which appears only once it is complete; None: standard output.
    """
    if path is None:
        return _write_lines(predictions, sys.stdout)
    partial = path + ".part"
    try:
        if path.endswith(".npz"):
            with open(partial, "wb") as binary:
                count = _write_arrays(predictions, binary)
        else:
            with open(partial, "w") as text:
                count = _write_lines(predictions, text)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)
    return count


def _write_lines(predictions: Iterable[Any], stream: Any) -> int:
    count = 0
    for count, prediction in enumerate(predictions, start=1):
        plain = structure.map_leaves(_plain, prediction)
        stream.write(json.dumps({"example": count - 1, "predictions": plain}) + "\n")
    return count


def _plain(value: Any) -> Any:
    value = np.asarray(value).tolist()
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _write_arrays(predictions: Iterable[Any], stream: Any) -> int:
    columns: Dict[str, List[Any]] = {}
    for prediction in predictions:
        for path, value in structure.leaves(prediction):
            columns.setdefault(path or "predictions", []).append(value)
    arrays: Dict[str, Any] = {name: _without_objects(np.stack(values)) for name, values in columns.items()}
    np.savez(stream, **arrays)
    return max((len(values) for values in columns.values()), default=0)


def _without_objects(array: np.ndarray) -> np.ndarray:
    """Returns strings, which TensorFlow returns as objects, as numpy's bytes: np.savez would pickle objects."""
    return np.array(array.tolist()) if array.dtype == object else array
