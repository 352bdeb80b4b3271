"""Records examples and losses of an input pipeline in the fixed order, and the examples of one epoch."""
from typing import List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.parity.whole_values import session_from_values
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.training.job import Job


class Trajectory(NamedTuple):
    """Some steps in the fixed order, from given initial values; as values for JSON."""

    losses: List[str]  # float.hex() of the global loss of each step
    ids: List[List[List[int]]]  # step, tower, example
    dtype: str = "float32"  # of the loss


class Epoch(NamedTuple):
    """The examples of one epoch, in the order of the pipeline."""

    ids: List[List[int]]  # tower, example


def record_trajectory(
    job: Job,
    pipeline: str,
    devices: Sequence[str],
    config: ConfigProto,
    per_tower_batch_size: int,
    steps: int,
    values_path: str,
) -> Trajectory:
    """Trains a job as `record_first_steps` does, and records the examples of each step too."""
    source = make_pipeline(pipeline, job.train.with_ids(), per_tower_batch_size=per_tower_batch_size, order="fixed")
    losses: List[str] = []
    ids: List[List[List[int]]] = []
    with session_from_values(
        values_path, job, source, devices, config, lambda batch, mode: job.model_fn(batch["example"], mode)
    ) as (step, session):
        wanted = {"loss": step.loss, "ids": [batch["id"] for batch in step.input.per_tower]}
        with step.running(session) as run:
            while len(losses) < steps:
                found = run(wanted)
                losses.append(float(found["loss"]).hex())
                ids.append([_as_list(of_tower) for of_tower in found["ids"]])
    return Trajectory(losses, ids, step.loss.dtype.base_dtype.name)


def record_epoch(
    job: Job, pipeline: str, devices: Sequence[str], config: ConfigProto, per_tower_batch_size: int
) -> Epoch:
    """Reads one epoch of an input pipeline in its own order, without training; the last batches may be short."""
    source = make_pipeline(
        pipeline, job.train.with_ids(), per_tower_batch_size=per_tower_batch_size, epochs=1, remainder="short"
    )
    towers: List[List[int]] = [[] for _ in devices]
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()  # MonitoredTrainingSession needs one
        batches = source.build(devices)
        # Through tf.identity: a session returns a fed value without running anything.
        wanted = {
            "ids": [tf.identity(batch["id"]) for batch in batches.per_tower],
            "counts": [tf.identity(count) for count in batches.counts or []],
        }
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config) as session:
            while not session.should_stop():
                found = session.run(wanted)
                counts: List[Optional[int]] = [int(count) for count in found["counts"]] or [None] * len(towers)
                for tower, (ids, count) in enumerate(zip(found["ids"], counts)):
                    towers[tower].extend(_as_list(ids[:count]))
    return Epoch(towers)


def _as_list(ids: np.ndarray) -> List[int]:
    return [int(number) for number in ids]
