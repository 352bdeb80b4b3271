"""The operations that put elements into queues, what runs them, under which conditions, and what else runs then."""
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.compat.versions.graph import is_in_control_flow
from legacy_towers.graph import op_kinds
from legacy_towers.graph.walk import ancestors, consumers_of
from legacy_towers.migrate.conversion.cut import Cut, cut
from legacy_towers.migrate.conversion.operations import COUNTERS, PASS_HANDLE, Condition, conditions_of, is_source
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.tensor_types import Graph, Operation, Tensor

ENQUEUES = {"QueueEnqueue": False, "QueueEnqueueV2": False, "QueueEnqueueMany": True, "QueueEnqueueManyV2": True}
_SWITCHES = ("Switch", "RefSwitch")
# They have a state and inputs, and change nothing.
_ONLY_READ = ("ReadVariableOp", "LookupTableFind", "LookupTableFindV2", "LookupTableSize", "LookupTableSizeV2",
              "VarIsInitializedOp", "ResourceGather", "ResourceGatherNd", "QueueSize", "QueueSizeV2")


class Enqueue(NamedTuple):
    """An operation that puts elements into a queue.

    Attributes:
      operation: what runs: the enqueue operation, a `tf.cond` around it, or a `tf.group` with it.
      tensors: what it puts into the queue.
      many: whether the tensors hold several elements each.
      conditions: of the `tf.cond`s around it, the outermost first: it runs where all of them hold.
      threads: how many threads of queue runners run it; 0: no queue runner does.
      part: what computes the tensors and the conditions.
    """

    operation: Operation
    tensors: Tuple[Tensor, ...]
    many: bool
    conditions: Tuple[Condition, ...]
    threads: int
    part: Cut

    @property
    def sometimes(self) -> bool:
        """Whether its tensors are computed only where its conditions hold."""
        return bool(self.conditions) and any(is_in_control_flow(each.op) for each in self.tensors)


class Users:
    """Finds the operations that run after another one, by data or by control inputs."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._by_control: Optional[Dict[Operation, List[Operation]]] = None

    def __call__(self, operation: Operation) -> List[Operation]:
        if self._by_control is None:
            self._by_control = {}
            for each in self._graph.get_operations():
                for before in each.control_inputs:
                    self._by_control.setdefault(before, []).append(each)
        return consumers_of(operation) + self._by_control.get(operation, [])


def enqueue_of(operation: Operation, threads: Dict[Operation, int], users: Users) -> Enqueue:
    """Returns what an enqueue operation does.

    Args:
      operation: the enqueue operation.
      threads: operation -> how many threads of queue runners run it.
      users: finds what runs after an operation.
    """
    runs = operation if operation in threads else _run_of(operation, threads, users)
    conditions = conditions_of(operation)
    tensors = [before_switches(each, conditions) for each in list(operation.inputs)[1:]]
    controls = operation.control_inputs if not conditions else ()
    part = cut(tensors + [each.predicate for each in conditions], is_source, controls)
    return Enqueue(
        runs, tuple(tensors), ENQUEUES[operation.type], tuple(conditions), threads.get(runs, 0), part,
    )


def _run_of(operation: Operation, threads: Dict[Operation, int], users: Users) -> Operation:
    """Returns the operation of a queue runner that runs an enqueue, as in a `tf.cond`; the enqueue if there is none."""
    waiting, seen, found = [operation], {operation}, []
    while waiting:
        each = waiting.pop()
        if each in threads:
            found.append(each)
        for user in users(each):
            if user not in seen:
                seen.add(user)
                waiting.append(user)
    return found[0] if len(found) == 1 else operation


def before_switches(tensor: Tensor, conditions: Sequence[Condition]) -> Tensor:
    """Returns the tensor that the switches of `tf.cond`s pass on as `tensor`."""
    predicates = {each.predicate.name for each in conditions}
    while tensor.op.type in _SWITCHES and tensor.op.inputs[1].name in predicates:
        tensor = tensor.op.inputs[0]
    return tensor


def lost_stores(runs: Iterable[Operation], enqueues: Iterable[Any], stores_of: Any) -> Dict[Operation, Refused]:
    """Returns the queues and readers that a queue runner uses beside something that a dataset would leave out.

    Args:
      runs: the operations that queue runners run.
      enqueues: pairs of an enqueue operation and what is known of it.
      stores_of: a function that takes an operation, and returns the queues and readers that it uses itself.

    Returns:
      Queue or reader -> why it can't be converted.
    """
    known: Set[Operation] = set()
    for operation, enqueue in enqueues:
        known.update(enqueue.part.operations)
        known.update([operation, enqueue.operation])
    lost: Dict[Operation, Refused] = {}
    for run in dict.fromkeys(runs):
        used = ancestors([run], graph=run.graph)
        others = sorted((each for each in used if each not in known and _changes_something(each)), key=_rank)
        if others:
            problem = Refused("the queue runner that uses it also runs {}".format(others[0].type), others[0])
            for each in used:
                for store in stores_of(each):
                    lost.setdefault(store, problem)
    return lost


def _rank(operation: Operation) -> Tuple[bool, str]:
    """Returns the place of an operation among reasons: checks come last."""
    return operation.type == "Assert", operation.name


def _changes_something(operation: Operation) -> bool:
    kind = operation.type
    if is_source(operation) or kind in COUNTERS + _ONLY_READ + PASS_HANDLE:
        return False
    if op_kinds.draws_random_numbers(operation):
        return False
    if op_kinds.writes_variable(operation) or kind in op_kinds.ENQUEUE_OPS:
        return True
    return bool(operation.op_def.is_stateful and operation.inputs)
