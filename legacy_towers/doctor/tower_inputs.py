"""How the examples of an input operation reach the losses of towers."""
from typing import Dict, FrozenSet, Iterator, List, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.doctor.subject import Subject
from legacy_towers.graph.op_kinds import INPUT_OPS, PLACEHOLDER_OPS, VARIABLE_OPS
from legacy_towers.graph.shared_batches import SharedBatch
from legacy_towers.graph.shared_batches.flow import CHOOSERS, is_permutation
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation, Tensor

_CROSS_ENTROPIES = ("SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits")
_DIFFERENCES = ("Sub", "SquaredDifference")

Key = Tuple[Operation, int]  # an operation and the index of its output


def is_reordered(subject: Subject, shared: SharedBatch) -> bool:
    """Returns whether a tower reads the examples of a shared input operation in another order only."""
    towers, _ = subject.shared_batches
    source = subject.graph.get_operation_by_name(shared.operation)
    return any(_is_always_permuted(source, towers[index].losses) for index in shared.towers)


def shared_labels(subject: Subject) -> Iterator[Tuple[Operation, List[str]]]:
    """Yields (input operation of labels, towers) where towers compare predictions for images of their own with them.

    Labels are known as the second input of a cross entropy, or as what a prediction for a batch of unknown size is
    subtracted from.
    """
    towers, shared = subject.shared_batches
    names = {each.operation for each in shared}
    known: Dict[Key, Dict[str, FrozenSet[Key]]] = {}  # labels -> tower -> what its predictions are computed from
    for tower in towers:
        for operation in ancestors(tower.losses, graph=subject.graph, by_control=False):
            for prediction, label in _compared(operation):
                labels = _inputs_before(label)
                predicted = _inputs_before(prediction, through_choices=True)
                for key in labels or ():
                    known.setdefault(key, {}).setdefault(tower.name, predicted or frozenset())
    for key in sorted(known, key=lambda each: (str(each[0].name), each[1])):
        by_tower = known[key]
        own = [
            {each for each in predicted if each != key and each[0].name not in names} for predicted in by_tower.values()
        ]
        if len(by_tower) > 1 and all(own):
            yield key[0], sorted(by_tower)


def _compared(operation: Operation) -> Iterator[Tuple[Tensor, Tensor]]:
    """Yields (prediction, labels) if an operation compares the two."""
    if operation.type in _CROSS_ENTROPIES:
        yield operation.inputs[0], operation.inputs[1]
    elif operation.type in _DIFFERENCES:
        for prediction, label in (tuple(operation.inputs), tuple(reversed(operation.inputs))):
            sizes = [tf.dimension_value(each.shape[0]) if each.shape.ndims else 0 for each in (prediction, label)]
            if sizes == [None, None] and _reads_variables(prediction) and not _reads_variables(label):
                yield prediction, label


def _reads_variables(tensor: Tensor) -> bool:
    needed = ancestors([tensor], graph=tensor.graph, by_control=False)
    return any(each.type in VARIABLE_OPS for each in needed)


def _is_always_permuted(source: Operation, losses: List[Tensor]) -> bool:
    """Returns whether each way from `source` to the losses leads through an operation that reorders all rows."""
    needed = ancestors(losses, graph=source.graph, by_control=False)
    ends = {each.op for each in losses}
    waiting, seen = [source], {source}
    while waiting:
        operation = waiting.pop()
        if operation in ends:
            return False
        for output in operation.outputs:
            for after in output.consumers():
                if after in needed and after not in seen and not is_permutation(after):
                    seen.add(after)
                    waiting.append(after)
    return True


def _inputs_before(tensor: Tensor, through_choices: bool = False) -> Optional[FrozenSet[Key]]:
    """Returns the outputs of input operations that a tensor is computed from; None if some rows are chosen."""
    found: Set[Key] = set()
    waiting, seen = [tensor], {(tensor.op, tensor.value_index)}
    while waiting:
        each = waiting.pop()
        if each.op.type in INPUT_OPS or each.op.type in PLACEHOLDER_OPS:
            if each.shape.ndims != 0:
                found.add((each.op, each.value_index))
            continue
        if each.op.type in CHOOSERS and not through_choices:
            return None
        for before in each.op.inputs:
            if (before.op, before.value_index) not in seen:
                seen.add((before.op, before.value_index))
                waiting.append(before)
    return frozenset(found)
