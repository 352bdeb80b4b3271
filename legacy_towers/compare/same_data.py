"""Proof beside speed: do the ways in give the job the same examples and, in a fixed order, the same losses?"""
import os
import tempfile
import time
from typing import Any, Callable, Dict, List, Tuple, Union

from legacy_towers.compare.processes import Pool, WorkerFailed
from legacy_towers.jobs import Job
from legacy_towers.parity.way_records import Epoch, Trajectory
from legacy_towers.parity.ways import Expected, compare_ways
from legacy_towers.report.document import Parity

FIXED_STEPS = 10  # of a trajectory
# An epoch that takes longer than this by a way in is not read only to be counted.
EPOCH_SECONDS = 20.0
IDS_SECONDS = 10.0


def same_data(
    pool: Pool, job: Job, rates: Dict[str, float], towers: int, examples_per_step: int, at_most: int
) -> List[Parity]:
    """Lets running workers record what their ways give, and compares it.

    Args:
      pool: of the workers.
      job: as this process made it; it says which examples there are.
      rates: way -> its examples/s; "synthetic", which reads nothing, is not among them.
      towers: how many towers.
      examples_per_step: of all towers.
      at_most: workers at work at a time.
    """
    ids, is_whole = _ids(job, FIXED_STEPS * examples_per_step)
    trajectories: Dict[str, Union[Trajectory, str]] = {way: "" for way in rates}
    epochs: Dict[str, Union[Epoch, str]] = {way: "" for way in rates}

    def take_trajectory(way: str, reply: Any) -> None:
        trajectories[way] = _record(reply, Trajectory, "the losses were not compared")

    def take_epoch(way: str, reply: Any) -> None:
        epochs[way] = _record(reply, Epoch, "no epoch was compared")

    with tempfile.TemporaryDirectory(prefix="legacy-towers-") as folder:
        values = os.path.join(folder, "values.npz")
        command = {"do": "trajectory", "steps": FIXED_STEPS, "values_path": values}
        commands = [(way, dict(command)) for way in rates]
        # The first one alone: its initial values are everyone's.
        while commands and not os.path.exists(values):
            pool.ask_all([commands.pop(0)], 1, take_trajectory)
        pool.ask_all([each for each in commands if each[0] in pool], at_most, take_trajectory)
    wanted = []
    for way in rates:
        needed = len(ids) / rates[way]
        if way not in pool:
            epochs[way] = "no epoch was compared: its process has ended"
        elif not is_whole:
            epochs[way] = "no epoch was compared: only to list its examples takes more than {:g} s".format(IDS_SECONDS)
        elif needed > EPOCH_SECONDS:
            epochs[way] = "no epoch was compared: its {:,} examples take about {:,.0f} s, more than {:g}".format(
                len(ids), needed, EPOCH_SECONDS
            )
        else:
            wanted.append((way, {"do": "epoch"}))
    pool.ask_all(wanted, at_most, take_epoch)
    return compare_ways(trajectories, epochs, Expected(ids, job.train.name_of), towers)


def _ids(job: Job, least: int) -> Tuple[List[int], bool]:
    """Returns the ids of one epoch, or its first ones where all would take too long; and whether they are all."""
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
