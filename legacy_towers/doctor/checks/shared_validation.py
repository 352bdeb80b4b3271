"""LD104: validation reads from the queue or the iterator that training reads from."""
import re
from typing import Dict, Iterator, List, Set

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.statements import statement_of
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import ITERATOR_INPUT_OPS, PLACEHOLDER_OPS, applies_gradient
from legacy_towers.graph.walk import ancestors, consumers_of
from legacy_towers.tensor_types import Operation

_VALIDATION = re.compile(r"(?:^|[^a-z])(?:val|valid|validation|eval|evaluation|test|testing|dev)(?:$|[^a-z])", re.I)


@check("LD104", "shared-validation", WARNING, """
One operation reads batches for training and another one reads batches for validation from the same queue or iterator.
Validation then measures the loss on examples of the training set, and training never sees those that validation has
read. Validation is recognized by the name of its operation or by the statement that made it (`val`, `valid`, `eval`,
`test`, `dev`).

Make a second queue or iterator over the validation files. Iterators that are initialized for each set in turn, and
queues that the script fills itself, are not reported.
""")
def shared_validation(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    training: Set[Operation] = set()
    others: Set[Operation] = set()
    for fetched in list(subject.observed.fetched):
        ran = subject.observed.ran(fetched)
        (training if any(map(applies_gradient, ran)) else others).update(ran)
    for source, inputs in _by_source(subject).items():
        trained = [each for each in inputs if each in training and each in subject.trained]
        validating = [each for each in inputs if each in others and each not in training and _is_validation(each)]
        if trained and not any(map(_is_validation, trained)):
            for operation in validating:
                yield subject.evidence(
                    operation,
                    "it reads its batches from {!r}, as {!r} does for training: validation is on training "
                    "examples".format(source.name, trained[0].name),
                    "make another queue or iterator over the validation set",
                )


def _by_source(subject: Subject) -> Dict[Operation, List[Operation]]:
    """Returns queue or iterator -> what takes from it, of those that are filled from one place."""
    found = {}
    for operation, queue in subject.queues.queues.items():
        if len(queue.dequeues) > 1 and queue.enqueues and not queue.others:
            if not _reads_placeholders([each.operation for each in queue.enqueues]):
                found[operation] = queue.dequeues
    by_iterator: Dict[Operation, List[Operation]] = {}
    for operation in subject.operations:
        if operation.type in ITERATOR_INPUT_OPS and operation.inputs:
            by_iterator.setdefault(operation.inputs[0].op, []).append(operation)
    for iterator, inputs in by_iterator.items():
        users = consumers_of(iterator)
        initializers = [each for each in users if each.type == "MakeIterator"]
        is_simple = iterator.type == "OneShotIterator" or iterator.type in ("Iterator", "IteratorV2") and initializers
        if len(inputs) > 1 and is_simple and len(initializers) < 2 and not _reads_placeholders(initializers):
            found[iterator] = inputs
    return found


def _reads_placeholders(operations: List[Operation]) -> bool:
    if not operations:
        return False
    needed = ancestors(operations, graph=operations[0].graph)
    return any(each.type in PLACEHOLDER_OPS for each in needed)


def _is_validation(operation: Operation) -> bool:
    return bool(_VALIDATION.search(operation.name) or _VALIDATION.search(statement_of(operation)))
