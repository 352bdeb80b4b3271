"""The classic mistake of tower loops, found on the built graph: every tower trains on the same batch.

    images, labels = iterator.get_next()              # once, before the loop
    for index in range(towers):
        with tf.device("/gpu:%d" % index):
            losses.append(loss_of(images, labels))    # every tower computes the same

From each tower's loss a walk back over data finds the operations that pull examples. One that two towers reach is
innocent where they take different parts of it: other outputs of a split, other slices, other rows. Which rows a tensor
holds is followed from the pull on: arithmetic, casts and layers keep them, split, slice and gather choose among them.
"""
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.tracebacks import user_line
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph_walk import operations_of
from legacy_towers.same_batch.flow import Flow, TensorKey

# A batch goes through that many operations that choose rows, one behind the other, before we take it for shared.
_MOST_CHOICES = 8


class SharedBatch(NamedTuple):
    """One pull of examples that several towers read without parts of their own.

    Attributes:
      towers: the towers, by their positions in the list of losses unless they were given indices.
      operation: the name of the operation that pulls.
      kind: its type, such as "IteratorGetNext".
      line: the line of user code that made it, such as "train.py, line 31, in main: x = it.get_next()"; "" if unknown.
    """

    towers: List[int]
    operation: str
    kind: str
    line: str

    def __str__(self) -> str:
        return "towers {} get the same examples: they read {!r} ({}){}, and nothing gives each its own part".format(
            " and ".join([", ".join(map(str, self.towers[:-1])), str(self.towers[-1])]),
            self.operation,
            self.kind,
            ", made in " + self.line if self.line else "",
        )


def find_shared_batches(
    losses: Sequence[Any], towers: Optional[Sequence[int]] = None, shared: Any = ()
) -> List[SharedBatch]:
    """Returns what pulls one batch for several towers, an entry per operation; empty if each tower has its own.

    A placeholder, `get_next`, dequeue or unstage that two towers read is shared unless they read different parts of it.
    What both read beside examples of their own, such as a table, is not counted, unless it has as many rows. Scalars
    (a rate, a switch) and what towers read by operations of their own are innocent.

    Args:
      losses: a scalar tensor per tower, or a structure of tensors.
      towers: the towers' indices; None for 0, 1, ...
      shared: tensors that all towers are meant to read, such as `TowerPlaceholders.shared`.
    """
    indices = list(range(len(losses)) if towers is None else towers)
    codes: Dict[Any, int] = {}
    meant = frozenset(operations_of(shared))
    flows = [Flow(loss, codes, meant) for loss in losses]
    owners: Dict[Any, int] = {}
    for flow in flows:
        for operation in flow.operations:
            owners[operation] = owners.get(operation, 0) + 1
    for flow in flows:
        flow.shared_operations = {operation for operation in flow.operations if owners[operation] > 1}
    guilty: Dict[Any, Set[int]] = {}
    for first in range(len(flows)):
        for second in range(first + 1, len(flows)):
            for operation in _shared_pulls(flows[first], flows[second]):
                guilty.setdefault(operation, set()).update((indices[first], indices[second]))
    return [
        SharedBatch(sorted(sharing), str(operation.name), str(operation.type), user_line(operation))
        for operation, sharing in sorted(guilty.items(), key=lambda item: str(item[0].name))
    ]


def check_distinct_batches(
    losses: Sequence[Any], towers: Optional[Sequence[int]] = None, shared: Any = ()
) -> None:
    """Raises InputError where towers train on the same batch, in your own tower loop too.

        losses = [tower_loss(index) for index in range(towers)]
        lt.check_distinct_batches(losses)

    Args:
      losses: a scalar tensor per tower, in one graph.
      towers: the towers' indices, for the message; None for 0, 1, ...
      shared: tensors that all towers are meant to read, such as `TowerPlaceholders.shared`.

    Raises:
      ArgumentError: `losses` is no list.
      InputError: an operation pulls one batch for several towers; names it, the line that made it, and the remedy.
    """
    if not isinstance(losses, (list, tuple)):
        raise ArgumentError("losses is a {}: give a list with one loss per tower".format(type(losses).__name__))
    found = find_shared_batches(losses, towers, shared)
    if not found:
        return
    remedies = []
    for each in found:
        remedy = _REMEDIES.get(_family(each.kind), _REMEDIES[""])
        if remedy not in remedies:
            remedies.append(remedy)
    raise InputError("{}. {}".format("; ".join(map(str, found)), " ".join(remedies)))


_REMEDIES = {
    "Iterator": "Call get_next() once for each tower, inside the loop, or make one global batch and give tower k "
    "tf.split(batch, towers)[k].",
    "Queue": "Dequeue once for each tower, inside the loop, or dequeue one global batch and give tower k "
    "tf.split(batch, towers)[k].",
    "Placeholder": "Make placeholders for each tower (lt.tower_placeholders), or feed one global batch and give tower "
    "k tf.split(batch, towers)[k].",
    "Unstage": "Stage one batch for each tower and get it in the tower, or give tower k tf.split(batch, towers)[k].",
    "": "Pull once for each tower, or give tower k tf.split(batch, towers)[k].",
}


def _family(kind: str) -> str:
    for family in ("Iterator", "Queue", "Placeholder", "Unstage"):
        if family in kind:
            return family
    return ""


class _Parts(NamedTuple):
    """What two towers read of their pulls: the first sizes (None: unknown) of what they share and of what is theirs."""

    shared: List[Tuple[Any, Optional[int]]]  # (pull operation, first size)
    of_first: List[Optional[int]]
    of_second: List[Optional[int]]


def _shared_pulls(first: Flow, second: Flow) -> List[Any]:
    """Returns the pull operations whose examples both towers train on."""
    in_both = {key for key in first.examples if key in second.examples}
    if not in_both:
        return []
    parts = _Parts(
        [],
        [_first_size(key) for key in first.examples if key not in in_both],
        [_first_size(key) for key in second.examples if key not in in_both],
    )
    for key in sorted(in_both, key=lambda each: (str(each[0].name), each[1])):
        _compare(first, second, frozenset([key]), frozenset([key]), key[0], parts, 0)
    guilty = []
    for operation, size in parts.shared:
        # Beside examples of their own, towers may share a table; one with as many rows is labels rather.
        beside = parts.of_first and parts.of_second
        if not beside or (size is not None and size in parts.of_first and size in parts.of_second):
            guilty.append(operation)
    return guilty


def _compare(
    first: Flow,
    second: Flow,
    of_first: FrozenSet[TensorKey],
    of_second: FrozenSet[TensorKey],
    pull: Any,
    parts: _Parts,
    choices: int,
) -> None:
    """Follows the same rows in two towers, and fills `parts` with what they share of them and what is theirs."""
    left, right = first.reach(of_first), second.reach(of_second)
    common = set(left.chosen) & set(right.chosen)
    if (left.whole and right.whole) or (common and choices == _MOST_CHOICES):
        sizes = {_first_size(key) for key in of_first}
        parts.shared.append((pull, sizes.pop() if len(sizes) == 1 else None))
    elif left.whole or right.whole:
        (parts.of_first if left.whole else parts.of_second).append(None)
    for mine, reached in ((parts.of_first, left), (parts.of_second, right)):
        for choice, tensors in reached.chosen.items():
            if choice not in common:
                mine.extend(_first_size(key) for key in tensors)
    if common and choices < _MOST_CHOICES:
        _compare(
            first,
            second,
            frozenset(key for choice in common for key in left.chosen[choice]),
            frozenset(key for choice in common for key in right.chosen[choice]),
            pull,
            parts,
            choices + 1,
        )


def _first_size(key: TensorKey) -> Optional[int]:
    shape = key[0].outputs[key[1]].shape
    return tf.dimension_value(shape[0]) if shape.ndims else None

