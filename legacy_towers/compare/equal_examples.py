"""Checks that input pipelines give a job the same examples and, in a fixed order, the same losses."""
import os
import tempfile
import time
from typing import Any, Callable, Dict, List, Tuple, Union

from legacy_towers.compare.processes import Pool, WorkerFailed
from legacy_towers.parity.input_pipelines import Expected, compare_pipelines
from legacy_towers.parity.input_records import Epoch, Trajectory
from legacy_towers.report.document import Parity
from legacy_towers.training.job import Job

FIXED_STEPS = 10  # steps of a trajectory
# An epoch that takes an input pipeline longer than this is not read.
EPOCH_SECONDS = 20.0
IDS_SECONDS = 10.0  # time to list the ids of an epoch


def same_data(
    pool: Pool, job: Job, rates: Dict[str, float], towers: int, examples_per_step: int, at_most: int
) -> List[Parity]:
    """Records the losses and the epoch that each running worker's pipeline gives, and compares them.

    Args:
      job: the job as created in this process; its examples are the expected ones.
      rates: pipeline -> examples/s, without "synthetic", which reads no data.
    """
    ids, is_whole = _ids(job, FIXED_STEPS * examples_per_step)
    trajectories: Dict[str, Union[Trajectory, str]] = {pipeline: "" for pipeline in rates}
    epochs: Dict[str, Union[Epoch, str]] = {pipeline: "" for pipeline in rates}

    def take_trajectory(pipeline: str, reply: Any) -> None:
        trajectories[pipeline] = _record(reply, Trajectory, "the losses were not compared")

    def take_epoch(pipeline: str, reply: Any) -> None:
        epochs[pipeline] = _record(reply, Epoch, "no epoch was compared")

    with tempfile.TemporaryDirectory(prefix="legacy-towers-") as folder:
        values = os.path.join(folder, "values.npz")
        command = {"do": "trajectory", "steps": FIXED_STEPS, "values_path": values}
        commands = [(pipeline, dict(command)) for pipeline in rates]
        # The first one runs alone: all others start from the initial values that it writes.
        while commands and not os.path.exists(values):
            pool.ask_all([commands.pop(0)], 1, take_trajectory)
        pool.ask_all([each for each in commands if each[0] in pool], at_most, take_trajectory)
    wanted = []
    for pipeline in rates:
        needed = len(ids) / rates[pipeline]
        if pipeline not in pool:
            epochs[pipeline] = "no epoch was compared: its process has ended"
        elif not is_whole:
            epochs[pipeline] = "no epoch was compared: listing its examples takes more than {:g} s".format(IDS_SECONDS)
        elif needed > EPOCH_SECONDS:
            epochs[pipeline] = "no epoch was compared: its {:,} examples take about {:,.0f} s, more than {:g}".format(
                len(ids), needed, EPOCH_SECONDS
            )
        else:
            wanted.append((pipeline, {"do": "epoch"}))
    pool.ask_all(wanted, at_most, take_epoch)
    return compare_pipelines(trajectories, epochs, Expected(ids, job.train.name_of), towers)


def _ids(job: Job, least: int) -> Tuple[List[int], bool]:
    """Returns the ids of one epoch and True, or its first ids and False where listing all takes too long."""
    end = time.monotonic() + IDS_SECONDS
    ids: List[int] = []
    for number in job.train.ids():
        if len(ids) >= least and time.monotonic() > end:
            return ids, False
        ids.append(number)
    return ids, True


def _record(reply: Any, kind: Callable[..., Any], without: str) -> Any:
    if isinstance(reply, WorkerFailed):
        return "{}: {}".format(without, reply)
    if "not_compared" in reply:
        return reply["not_compared"]
    return kind(**reply)
