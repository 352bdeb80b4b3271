"""Do the ways in give the same? The records of several, compared with the data itself and with one another."""
import collections
from typing import Callable, List, Mapping, NamedTuple, Optional, Sequence, Union

from legacy_towers.parity.bounds import loss_distance
from legacy_towers.parity.way_records import Epoch, Trajectory
from legacy_towers.report.document import Difference, Parity

# Losses of the first steps that are nearer than this differ by how float32 was rounded on the way.
_ROUNDING = 1e-5

NameOf = Callable[[int], str]


class Expected(NamedTuple):
    """What every way should give, known from the data alone.

    Attributes:
      ids: of one epoch, in the order of the data.
      name_of: what an example is called.
    """

    ids: Sequence[int]
    name_of: NameOf


def compare_ways(
    trajectories: Mapping[str, Union[Trajectory, str]],
    epochs: Mapping[str, Union[Epoch, str]],
    expected: Expected,
    towers: int,
) -> List[Parity]:
    """Returns a row per way, in the order of `trajectories`.

    Args:
      trajectories: way -> its record, or the sentence that says why there is none.
      epochs: way -> its record, or the sentence that says why there is none; the same ways.
      expected: what every way should give.
      towers: how many towers.
    """
    reference = next((way for way in trajectories if isinstance(trajectories[way], Trajectory)), None)
    rows = []
    for way in trajectories:
        trajectory, epoch = trajectories[way], epochs[way]
        found: List[Optional[Difference]] = []
        notes = []
        same_trajectory = same_epoch = None
        if isinstance(trajectory, Trajectory):
            first = trajectories[reference] if reference is not None else trajectory
            assert isinstance(first, Trajectory)
            found.append(trajectory_difference(trajectory, first, str(reference), expected))
            same_trajectory = found[-1] is None
        else:
            notes.append(trajectory)
        if isinstance(epoch, Epoch):
            found.append(epoch_difference(epoch, expected))
            same_epoch = found[-1] is None
        else:
            notes.append(epoch)
        difference = next((each for each in found if each is not None), None)
        sentence = _sentence(same_trajectory, same_epoch, trajectory, len(expected.ids))
        said = [sentence] + [each.sentence for each in found if each is not None] + list(dict.fromkeys(notes))
        rows.append(Parity(
            way, towers, same_trajectory, same_epoch, difference, "; ".join(part for part in said if part)
        ))
    return rows


def trajectory_difference(
    trajectory: Trajectory, reference: Trajectory, reference_way: str, expected: Expected
) -> Optional[Difference]:
    """Returns where a trajectory first parts from the data in its order, or its losses from those of another way."""
    place = 0
    for step, (towers, loss, other) in enumerate(zip(trajectory.ids, trajectory.losses, reference.losses), start=1):
        for tower, ids in enumerate(towers):
            for number in ids:
                wanted = expected.ids[place % len(expected.ids)]
                place += 1
                if number != wanted:
                    return Difference(step, tower, expected.name_of(number), (
                        "in the fixed order, step {}, tower {} got {} where the data has {}".format(
                            step, tower, expected.name_of(number), expected.name_of(wanted)
                        )
                    ))
        if loss != other:
            ours, theirs = float.fromhex(loss), float.fromhex(other)
            return Difference(step, None, None, (
                "in the fixed order the examples are the same, but in step {} the loss is {:.9g}, and {:.9g} by {}: "
                "{}".format(step, ours, theirs, reference_way, _reason(ours, theirs))
            ))
    return None


def _reason(ours: float, theirs: float) -> str:
    if loss_distance(ours, theirs) <= _ROUNDING:
        return (
            "that is rounding: TensorFlow's optimizer reorders arithmetic with constants in the graph of a session, "
            "where queues parse, otherwise than in the functions of a dataset"
        )
    return "something in the input or the model is random or depends on time"


def epoch_difference(epoch: Epoch, expected: Expected) -> Optional[Difference]:
    """Returns an example that an epoch lacks, or has too often, and how many of them there are."""
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
    same_trajectory: Optional[bool], same_epoch: Optional[bool], trajectory: Union[Trajectory, str], count: int
) -> str:
    parts = []
    if isinstance(trajectory, Trajectory) and same_trajectory:
        parts.append("{} losses in the fixed order are the same bit for bit".format(len(trajectory.losses)))
    if same_epoch:
        parts.append("an epoch has each of {:,} examples once".format(count))
    return ", ".join(parts)
