"""Compares the records of input pipelines with the data and with each other."""
import collections
from typing import Callable, List, Mapping, NamedTuple, Optional, Sequence, Union

from legacy_towers.parity.bounds import PIPELINE_LOSS, bound_of, loss_distance
from legacy_towers.parity.input_records import Epoch, Trajectory
from legacy_towers.report.document import DIFFER, SAME, SAME_ROUNDING, Difference, Parity

NameOf = Callable[[int], str]


class Expected(NamedTuple):
    """The examples that every input pipeline must produce.

    Attributes:
      ids: the ids of one epoch, in the order of the data.
      name_of: returns the name of an example, for messages.
    """

    ids: Sequence[int]
    name_of: NameOf


def compare_pipelines(
    trajectories: Mapping[str, Union[Trajectory, str]],
    epochs: Mapping[str, Union[Epoch, str]],
    expected: Expected,
    towers: int,
) -> List[Parity]:
    """Returns one row per input pipeline, in the order of `trajectories`.

    Args:
      trajectories: pipeline -> its record, or the reason why there is none.
      epochs: as `trajectories`, for the same pipelines.
    """
    reference = next((pipeline for pipeline in trajectories if isinstance(trajectories[pipeline], Trajectory)), None)
    rows = []
    for pipeline in trajectories:
        trajectory, epoch = trajectories[pipeline], epochs[pipeline]
        found: List[Optional[Difference]] = []
        notes = []
        losses = Losses(None, None, None, None)
        same_epoch = None
        if isinstance(trajectory, Trajectory):
            first = trajectories[reference] if reference is not None else trajectory
            assert isinstance(first, Trajectory)
            losses = compare_losses(trajectory, first, str(reference), expected)
            found.append(losses.first_difference)
        else:
            notes.append(trajectory)
        if isinstance(epoch, Epoch):
            found.append(epoch_difference(epoch, expected))
            same_epoch = found[-1] is None
        else:
            notes.append(epoch)
        difference = next((each for each in found if each is not None), None)
        sentence = _sentence(losses, same_epoch, trajectory, len(expected.ids))
        parts = [sentence] + [each.sentence for each in found if each is not None] + list(dict.fromkeys(notes))
        rows.append(Parity(
            pipeline, towers, losses.answer, losses.difference, losses.bound, same_epoch, difference,
            "; ".join(part for part in parts if part),
        ))
    return rows


class Losses(NamedTuple):
    """The comparison of the losses of two trajectories.

    Attributes:
      answer: one of `report.document.LOSSES`; None: not compared.
      difference: the largest of all steps; None: not compared, or the examples differ.
      bound: the bound for rounding.
      first_difference: the first difference beyond rounding; None without one.
    """

    answer: Optional[str]
    difference: Optional[float]
    bound: Optional[float]
    first_difference: Optional[Difference]


def compare_losses(trajectory: Trajectory, reference: Trajectory, reference_name: str, expected: Expected) -> Losses:
    """Compares a trajectory's examples with the data in its order, and its losses with those of another pipeline."""
    bound = bound_of(reference.dtype, PIPELINE_LOSS)
    position = 0
    largest = 0.0
    for step, (towers, loss, other) in enumerate(zip(trajectory.ids, trajectory.losses, reference.losses), start=1):
        for tower, ids in enumerate(towers):
            for number in ids:
                wanted = expected.ids[position % len(expected.ids)]
                position += 1
                if number != wanted:
                    return Losses(DIFFER, None, bound, Difference(step, tower, expected.name_of(number), (
                        "in the fixed order, step {}, tower {} got {} instead of {}".format(
                            step, tower, expected.name_of(number), expected.name_of(wanted)
                        )
                    )))
        ours, theirs = float.fromhex(loss), float.fromhex(other)
        distance = 0.0 if loss == other else loss_distance(ours, theirs)
        if not distance <= bound:
            return Losses(DIFFER, distance if distance < float("inf") else None, bound, Difference(step, None, None, (
                "in the fixed order the examples are the same, but in step {} the loss is {:.9g}, and {:.9g} with {}, "
                "a difference beyond rounding (bound {:.0e}): the input or the model has random numbers or depends on "
                "time".format(step, ours, theirs, reference_name, bound)
            )))
        largest = max(largest, distance)
    return Losses(SAME_ROUNDING if largest > 0 else SAME, largest, bound, None)


def epoch_difference(epoch: Epoch, expected: Expected) -> Optional[Difference]:
    """Returns the first example that an epoch lacks or has too often, with their number; None if it is correct."""
    seen = collections.Counter(number for ids in epoch.ids for number in ids)
    wanted = collections.Counter(expected.ids)
    lost, repeated = wanted - seen, seen - wanted
    if not lost and not repeated:
        return None
    parts = []
    if lost:
        parts.append("{:,} lost ({} first)".format(sum(lost.values()), expected.name_of(min(lost))))
    if repeated:
        parts.append("{:,} too many ({} first)".format(sum(repeated.values()), expected.name_of(min(repeated))))
    first = min(lost) if lost else min(repeated)
    tower = next((tower for tower, ids in enumerate(epoch.ids) if first in ids), None)
    return Difference(None, tower, expected.name_of(first), "of an epoch's {:,} examples {}".format(
        len(expected.ids), " and ".join(parts)
    ))


def _sentence(
    losses: Losses, same_epoch: Optional[bool], trajectory: Union[Trajectory, str], count: int
) -> str:
    parts = []
    if isinstance(trajectory, Trajectory) and losses.answer == SAME:
        parts.append("{} losses in the fixed order are the same bit for bit".format(len(trajectory.losses)))
    if isinstance(trajectory, Trajectory) and losses.answer == SAME_ROUNDING:
        assert losses.difference is not None and losses.bound is not None  # they were compared
        parts.append(
            "{} losses in the fixed order are the same except for rounding, with a difference of at most {:.1e} (bound "
            "{:.0e}): TensorFlow's graph optimizer orders arithmetic with constants differently in a session's graph, "
            "in which queues parse, and in a dataset's functions".format(
                len(trajectory.losses), losses.difference, losses.bound
            )
        )
    if same_epoch:
        parts.append("an epoch has each of {:,} examples once".format(count))
    return ("; " if losses.answer == SAME_ROUNDING else ", ").join(parts)
