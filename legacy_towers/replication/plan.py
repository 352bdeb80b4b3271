"""What was decided for a graph that runs on several towers."""
import re
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat.versions.tracebacks import user_place
from legacy_towers.graph.op_kinds import draws_random_numbers
from legacy_towers.graph.walk import ancestors
from legacy_towers.replication.losses import MEAN, RATIO, SUM
from legacy_towers.replication.refusal import place_of
from legacy_towers.replication.step import GLOBAL, ReplicatedStep
from legacy_towers.tensor_types import Operation
from legacy_towers.text.names import counted, listed

_RULES = {
    MEAN: "the mean over towers, weighted by their examples, since the loss is a mean over examples",
    SUM: "the sum over towers, since the loss is a sum over examples",
    RATIO: "the mean over towers, weighted by what the loss divides by",
}
_UNNAMED = re.compile(r"(?:^|/)Placeholder(?:WithDefault)?(?:_\d+)?$")
# A sum grows with the batch.
_SUM_OF_BATCHES = "; with {} times the batch they are about {} times as large"


class ReplicationPlan(NamedTuple):
    """What was decided for one training step.

    Attributes:
      devices: the device of each tower.
      keep: "global" or "per-tower".
      examples: the names of the tensors and operations that hold the examples.
      losses: (what reduces the loss, how the gradients are reduced), for each loss.
      gradients: how many gradients are reduced.
      sparse: whether some of them are sparse.
      copied: how many operations each tower has.
      once: how many operations run once per step, after the gradients.
      whole: the names of the tensors that are fed and that each tower gets as they are.
      on_one_device: the names of the tensors that one device computes from the whole batch.
      notes: what differs from one device.
      comparison: what the comparison with one device has found; None before it.
      places: (name of a placeholder to which the script gave no name, "train.py:31").
    """

    devices: Tuple[str, ...]
    keep: str
    examples: Tuple[str, ...]
    losses: Tuple[Tuple[str, str], ...]
    gradients: int
    sparse: bool
    copied: int
    once: int
    whole: Tuple[str, ...]
    on_one_device: Tuple[str, ...]
    notes: Tuple[str, ...]
    comparison: Optional[str] = None
    places: Tuple[Tuple[str, str], ...] = ()

    def lines(self) -> List[str]:
        """Returns the plan in lines for people."""
        number = len(self.devices)
        if self.keep == GLOBAL:
            what = "{} of each step {} split along dimension 0".format(
                self._listed(self.examples), "is" if len(self.examples) == 1 else "are")
        else:
            what = "each tower reads its own {}: {} times the batch".format(
                self._listed(self.examples), number)
        lines = ["{} on {}, --keep {}: {}".format(
            counted(number, "tower"), listed(list(self.devices)), self.keep, what)]
        for loss, rule in self.losses:
            lines.append("gradients of the loss ({}): {}".format(loss, rule))
        lines.append("{} per tower, {} reduced{}, {} once per step".format(
            counted(self.copied, "operation"), counted(self.gradients, "gradient"),
            " (sparse ones by rows)" if self.sparse else "", counted(self.once, "operation")))
        if self.whole:
            lines.append("each tower gets the whole of {}, which {} fed".format(
                self._listed(self.whole), "is" if len(self.whole) == 1 else "are"))
        if self.on_one_device:
            lines.append("on one device, from the whole batch: {}".format(listed(list(self.on_one_device))))
        lines += list(self.notes)
        if self.comparison:
            lines.append(self.comparison)
        return lines

    def _listed(self, names: Sequence[str]) -> str:
        places = dict(self.places)
        return listed("{!r} ({})".format(each, places[each]) if each in places else repr(each) for each in names)

    def __str__(self) -> str:
        return "\n".join(self.lines())


def plan_of(step: ReplicatedStep, comparison: Any = None) -> ReplicationPlan:
    """Returns the plan of a replicated step."""
    examples = [each.op.name for each in step.examples.fed] + [
        _sparse_name(each) for each in step.examples.sparse] + [each.name for each in step.examples.reads]
    losses = dict.fromkeys((place_of(each.operation), _reduction(each.kind, step)) for each in step.rules.values())
    return ReplicationPlan(
        tuple(_short(each) for each in step.devices), step.keep, tuple(examples), tuple(losses),
        len([each for each in step.gradients if each.dtype.is_floating]), bool(step.sparse), len(step.towers.copied),
        len(step.once), tuple(sorted(str(each.op.name) for each in step.examples.whole)),
        tuple(str(each.op.name) for each in step.originals), tuple(_notes(step)),
        None if comparison is None else str(comparison), tuple(_places(step)),
    )


def _places(step: ReplicatedStep) -> List[Tuple[str, str]]:
    """Returns (name, place) for the placeholders that are fed and that have the name that TensorFlow gives."""
    fed = {each.op for each in list(step.examples.fed) + list(step.examples.whole)} | {
        each.values.op for each in step.examples.sparse}
    found = [(str(each.name), user_place(each)) for each in fed if _UNNAMED.search(each.name)]
    return sorted(pair for pair in found if pair[1])


def _short(device: str) -> str:
    return device.lower().replace("/device:", "/")


def _sparse_name(tensor: Any) -> str:
    """Returns the name that the script gave to a placeholder of a sparse tensor: "wide" of "wide/values"."""
    name = str(tensor.values.op.name)
    return name[: -len("/values")] if name.endswith("/values") else name


def _reduction(kind: str, step: ReplicatedStep) -> str:
    """Returns how the gradients of a loss are reduced, and why."""
    number = len(step.devices)
    return _RULES[kind] + (_SUM_OF_BATCHES.format(number, number) if kind == SUM and step.keep != GLOBAL else "")


def _notes(step: ReplicatedStep) -> List[str]:
    notes = []
    copied = [each for each in step.rows.statistics if each in step.towers.copied]
    if copied:
        notes.append("differs from one device: each tower normalizes by the statistics of its own examples ({})".format(
            place_of(copied[0])))
    if step.towers.own_numbers:
        notes.append("differs from one device: each tower draws random numbers of its own ({})".format(
            place_of(step.towers.own_numbers[0])))
    shared = _shared_draws(step) if step.keep != GLOBAL else []
    if shared:
        notes.append("all towers use the same random numbers, since their shape is that of one batch ({})".format(
            place_of(shared[0])))
    return notes


def _shared_draws(step: ReplicatedStep) -> List[Operation]:
    """Returns the operations whose random numbers the losses of all towers use."""
    calls = step.regions.calls.by_scope
    read = ancestors([root for scope in step.rules for root in calls[scope].roots], graph=step.graph)
    draws = [each for each in read - step.regions.dependent if draws_random_numbers(each) and each.outputs]
    return sorted((each for each in draws if each.outputs[0].dtype.is_floating), key=lambda each: str(each.name))
