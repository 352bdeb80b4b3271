"""Finds, on the built graph, towers that train on the same batch by mistake.

    images, labels = iterator.get_next()              # once, before the loop
    for index in range(towers):
        with tf.device("/gpu:%d" % index):
            losses.append(loss_of(images, labels))    # every tower computes the same

The check walks back from each tower's loss to the input operations that it reads. Two towers may read the same input
operation if they take different parts of it: different outputs of a split, different slices, different rows. The check
follows which rows a tensor holds, starting at the input operation: arithmetic, casts and layers keep all rows; split,
slice and gather choose among them.
"""
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph.op_kinds import ITERATOR_INPUT_OPS, PLACEHOLDER_OPS, QUEUE_INPUT_OPS, STAGING_INPUT_OPS
from legacy_towers.graph.shared_batches.flow import Flow, TensorKey
from legacy_towers.graph.walk import operations_of
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import listed

# After so many operations in a row that choose among rows, the batch is taken for shared.
_MOST_CHOICES = 8


@documented_fields
class SharedBatch(NamedTuple):
    """An input operation whose examples several towers read, none of them a part of its own.

    Attributes:
      towers: the indices of the towers; their positions in the list of losses unless indices were given.
      operation: the name of the input operation.
      kind: its type, such as "IteratorGetNext".
      line: the line of user code that made it, such as "train.py, line 31, in main: x = it.get_next()"; "" if unknown.
      partly: whether the towers read other examples that are their own, such as images, with the same labels.
    """

    towers: List[int]
    operation: str
    kind: str
    line: str
    partly: bool = False

    def __str__(self) -> str:
        return "towers {} get the same examples: they read {!r} ({}){}, and nothing gives each its own part".format(
            listed(map(str, self.towers)),
            self.operation,
            self.kind,
            ", made in " + self.line if self.line else "",
        )


def find_shared_batches(
    losses: Sequence[Any], towers: Optional[Sequence[int]] = None, shared: Any = ()
) -> List[SharedBatch]:
    """Finds the input operations that give several towers the same batch.

    A placeholder, `get_next`, dequeue or unstage that two towers read is shared unless they read different parts of it.
    What both read in addition to examples of their own, such as a table, does not count unless it has as many rows as
    the examples. Scalars (a learning rate, a switch) do not count either.

    Args:
      losses: a scalar tensor per tower, or a structure of tensors.
      towers: the towers' indices; None for 0, 1, ...
      shared: tensors that all towers are meant to read, such as `TowerPlaceholders.shared`.

    Returns:
      One entry per input operation, sorted by its name; an empty list if each tower has examples of its own.
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
    shared_by: Dict[Any, Set[int]] = {}
    wholly: Set[Any] = set()
    for first in range(len(flows)):
        for second in range(first + 1, len(flows)):
            found, have_own = _shared_input_ops(flows[first], flows[second])
            wholly.update(() if have_own else found)
            for operation in found:
                shared_by.setdefault(operation, set()).update((indices[first], indices[second]))
    return [
        SharedBatch(
            sorted(sharing), str(operation.name), str(operation.type), user_line(operation), operation not in wholly
        )
        for operation, sharing in sorted(shared_by.items(), key=lambda item: str(item[0].name))
    ]


def check_distinct_batches(
    losses: Sequence[Any], towers: Optional[Sequence[int]] = None, shared: Any = ()
) -> None:
    """Raises InputError if towers train on the same batch. Works on your own tower loop, too.

        losses = [tower_loss(index) for index in range(towers)]
        lt.check_distinct_batches(losses)

    Args:
      losses: a scalar tensor per tower, in one graph.
      towers: the towers' indices, for the message; None for 0, 1, ...
      shared: tensors that all towers are meant to read, such as `TowerPlaceholders.shared`.

    Raises:
      ArgumentError: `losses` is not a list or tuple.
      InputError: several towers read one batch. The message names the input operation, the line that made it, and how
        to fix it.
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
    "": "Read it once for each tower, inside the loop, or give tower k tf.split(batch, towers)[k].",
}

_FAMILIES = {
    "Iterator": ITERATOR_INPUT_OPS,
    "Queue": QUEUE_INPUT_OPS,
    "Placeholder": PLACEHOLDER_OPS,
    "Unstage": STAGING_INPUT_OPS,
}


def _family(kind: str) -> str:
    for family, kinds in _FAMILIES.items():
        if kind in kinds:
            return family
    return ""


class _Parts(NamedTuple):
    """The first dimensions (None: unknown) of what two towers share, and of what only one of them reads."""

    shared: List[Tuple[Any, Optional[int]]]  # (input operation, first dimension)
    of_first: List[Optional[int]]
    of_second: List[Optional[int]]


def _shared_input_ops(first: Flow, second: Flow) -> Tuple[List[Any], bool]:
    """Returns the input operations whose examples both towers train on, and whether both also have their own."""
    in_both = {key for key in first.examples if key in second.examples}
    if not in_both:
        return [], False
    parts = _Parts(
        [],
        [_first_size(key) for key in first.examples if key not in in_both],
        [_first_size(key) for key in second.examples if key not in in_both],
    )
    for key in sorted(in_both, key=lambda each: (str(each[0].name), each[1])):
        _compare(first, second, frozenset([key]), frozenset([key]), key[0], parts, 0)
    found = []
    have_own = bool(parts.of_first and parts.of_second)
    for operation, size in parts.shared:
        # Towers with examples of their own may share a table. What has as many rows as the examples is labels instead.
        if not have_own or (size is not None and size in parts.of_first and size in parts.of_second):
            found.append(operation)
    return found, have_own


def _compare(
    first: Flow,
    second: Flow,
    of_first: FrozenSet[TensorKey],
    of_second: FrozenSet[TensorKey],
    input_op: Any,
    parts: _Parts,
    choices: int,
) -> None:
    """Follows the same rows in two towers and adds to `parts` what they share and what only one of them reads."""
    left, right = first.reach(of_first), second.reach(of_second)
    common = set(left.chosen) & set(right.chosen)
    if (left.whole and right.whole) or (common and choices == _MOST_CHOICES):
        sizes = {_first_size(key) for key in of_first}
        parts.shared.append((input_op, sizes.pop() if len(sizes) == 1 else None))
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
            input_op,
            parts,
            choices + 1,
        )


def _first_size(key: TensorKey) -> Optional[int]:
    shape = key[0].outputs[key[1]].shape
    return tf.dimension_value(shape[0]) if shape.ndims else None

