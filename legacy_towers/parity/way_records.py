"""What one way in gives a job: its examples and losses in the fixed order, and the examples of one epoch in its own."""
from typing import Any, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.inputs.ways import make_way
from legacy_towers.jobs import Job
from legacy_towers.parity.beginning import begun_from


class Trajectory(NamedTuple):
    """Some steps in the fixed order, from given initial values; lists and strings only, so that JSON can carry it."""

    losses: List[str]  # float.hex() of the global loss of each step
    ids: List[List[List[int]]]  # step, tower, example


class Epoch(NamedTuple):
    """The examples of one epoch in the way's own order."""

    ids: List[List[int]]  # tower, example


def record_trajectory(
    job: Job, way: str, devices: Sequence[str], config: Any, per_tower_batch_size: int, steps: int, values_path: str
) -> Trajectory:
    """Trains a job for some steps in the fixed order, in a graph and session of its own.

    Args:
      job: the job.
      way: one of the names in `inputs.ways`.
      devices: one device string per tower.
      config: the session's tf.ConfigProto.
      per_tower_batch_size: examples per tower and step.
      steps: how many steps.
      values_path: a file with the variables' initial values; see `begun_from`.
    """
    source = make_way(way, job.train.numbered(), per_tower_batch_size=per_tower_batch_size, order="fixed")
    losses: List[str] = []
    ids: List[List[List[int]]] = []
    with begun_from(
        values_path, job, source, devices, config, lambda batch, mode: job.model_fn(batch["example"], mode)
    ) as (step, session):
        wanted = {"loss": step.loss, "ids": [batch["id"] for batch in step.input.per_tower]}
        with step.running(session) as run:
            while len(losses) < steps:
                found = run(wanted)
                losses.append(float(found["loss"]).hex())
                ids.append([_as_list(of_tower) for of_tower in found["ids"]])
    return Trajectory(losses, ids)


def record_epoch(job: Job, way: str, devices: Sequence[str], config: Any, per_tower_batch_size: int) -> Epoch:
    """Reads one epoch by a way in, in its own order and to the last example, without training."""
    source = make_way(
        way, job.train.numbered(), per_tower_batch_size=per_tower_batch_size, epochs=1, remainder="short"
    )
    towers: List[List[int]] = [[] for _ in devices]
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()  # a MonitoredTrainingSession wants one
        batches = source.build(devices)
        # By identities: a session gives back what was fed without looking at it.
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
