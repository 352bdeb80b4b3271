"""Finds groups of operations, such as towers or devices, of which one waits for another in each run.

    tower_0:  x0 -> h0 -> loss0
                           |  (control input)
    tower_1:               x1 -> h1 -> loss1          all of tower_1 waits for tower_0
"""
from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation


class Wait(NamedTuple):
    """A group of operations that waits for another.

    Attributes:
      group: the name of the group.
      before: the name of the group that it waits for.
      share: the share of the group's operations that run only after operations of `before`, 0 to 1.
      done: the share of the operations of `before` that must have run before the first of them.
      operation: the first of them.
      waits_for: what leads from `before` to it: an operation that `operation` has as an input.
      by_control: whether it is a control input.
    """

    group: str
    before: str
    share: float
    done: float
    operation: Operation
    waits_for: Operation
    by_control: bool

    def __str__(self) -> str:
        return "{:.0%} of the operations of {} run only after {:.0%} of those of {}: {!r} waits for {!r}{}".format(
            self.share, self.group, self.done, self.before, self.operation.name, self.waits_for.name,
            " (a control input)" if self.by_control else "",
        )


def find_waits(groups: Mapping[str, Sequence[Operation]], least: float = 0.5) -> List[Wait]:
    """Returns the groups that wait for another, which does not wait for them, the largest share first.

    A group that waits only for the beginning of another, for the reading of its batch for instance, is left out.

    Args:
      groups: name -> operations of one graph.
      least: the share of a group's operations that must wait, and of the other's that they must wait for.
    """
    names = [name for name in sorted(groups) if groups[name]]
    bits = {name: 1 << index for index, name in enumerate(names)}
    bit_of = {operation: bits[name] for name in names for operation in groups[name]}
    before = _groups_before(bit_of)
    shares: Dict[Tuple[str, str], float] = {}
    for name in names:
        for other in names:
            if other != name:
                waiting = sum(1 for each in groups[name] if before[each] & bits[other])
                shares[name, other] = waiting / len(groups[name])
    found = []
    for (name, other), share in shares.items():
        if share >= least and not shares[other, name]:
            operation, waits_for, by_control = _first(groups[name], bits[other], before, bit_of)
            done = len(ancestors([operation], graph=operation.graph).intersection(groups[other])) / len(groups[other])
            if done >= least:
                found.append(Wait(name, other, share, done, operation, waits_for, by_control))
    return sorted(found, key=lambda each: -each.share)


def _inputs(operation: Operation) -> List[Operation]:
    return [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)


def _groups_before(bit_of: Dict[Operation, int]) -> Dict[Operation, int]:
    """Returns operation -> the bits of the groups that it waits for, for `bit_of` and all that they wait for."""
    users: Dict[Operation, List[Operation]] = {}
    waiting = list(bit_of)
    seen = set(waiting)
    while waiting:
        operation = waiting.pop()
        for each in _inputs(operation):
            users.setdefault(each, []).append(operation)
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    before = dict.fromkeys(seen, 0)
    changed = list(bit_of)
    while changed:
        operation = changed.pop()
        bits = before[operation] | bit_of.get(operation, 0)
        for user in users.get(operation, ()):
            if before[user] | bits != before[user]:
                before[user] |= bits
                changed.append(user)
    return before


def _first(
    operations: Sequence[Operation], bit: int, before: Dict[Operation, int], bit_of: Dict[Operation, int]
) -> Tuple[Operation, Operation, bool]:
    """Returns (the first operation that waits for a group, what it waits for, whether by a control input)."""
    inside = set(operations)
    for operation in operations:
        if not before[operation] & bit:
            continue
        for each in _inputs(operation):
            if each not in inside and (before.get(each, 0) | bit_of.get(each, 0)) & bit:
                return operation, each, each in operation.control_inputs
    raise ValueError("no operation of the group waits for another group")
