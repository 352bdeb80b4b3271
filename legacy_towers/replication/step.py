"""One training step on several towers, made from the operations of a step on one device."""
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import conditions_of
from legacy_towers.graph.walk import ancestors
from legacy_towers.replication.copies import Edges, copy_operations, ordered
from legacy_towers.replication.fixed import gradients_of_towers
from legacy_towers.replication.inputs import Examples, find_examples
from legacy_towers.replication.losses import Rule, rule_of
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.regions import Regions
from legacy_towers.replication.rows import Rows
from legacy_towers.replication.several import check_one_loss
from legacy_towers.replication.sparse import sparse_gradients
from legacy_towers.replication.sparse_feeds import parts_of
from legacy_towers.replication.split import Split
from legacy_towers.replication.towers import Towers
from legacy_towers.replication.whole import COMPUTED, GRADIENT, ORIGINAL, Kinds, Wholes
from legacy_towers.replication.writes import writes_state
from legacy_towers.tensor_types import Graph, Operation, Tensor

GLOBAL, PER_TOWER = "global", "per-tower"
KEEPS = (GLOBAL, PER_TOWER)


class _Found(NamedTuple):
    """What a step needs.

    Attributes:
      once: the operations that are copied once.
      wholes: the tensors that are made from those of towers.
      originals: the tensors that stay on one device.
    """

    once: Dict[Operation, None]
    wholes: Dict[Tensor, None]
    originals: Dict[Tensor, None]


def trains(fetched: Iterable[Operation], graph: Graph) -> bool:
    """Returns whether a run of operations changes a variable by a gradient."""
    needed = ancestors(list(fetched), graph=graph)
    if not any(writes_state(each) for each in needed):
        return False
    regions = Regions(graph, [])
    regions.needed = needed
    starts = [start for call in regions.calls.by_scope.values() for start in call.starts if start in needed]
    regions.start_from(starts)
    return any(writes_state(each) for each in regions.dependent)


class ReplicatedStep:
    """A training step whose gradients are computed by towers.

    Args:
      graph: the graph; operations are added to it, and none that exists is changed.
      fetched: the operations that the step fetches.
      feeds: tensor -> the value that the first step feeds, None if it is unknown.
      devices: the device of each tower.
      keep: GLOBAL or PER_TOWER.
      sparse: the sparse tensors that it feeds, whose parts are in `feeds`.

    Attributes:
      examples: what holds the examples.
      regions, rows, towers: the parts of the step.
      rules: scope of a call of tf.gradients -> how its gradients are reduced.
      gradients: gradient of the graph -> that of all towers together.
      sparse: those of the former that are values or indices of sparse gradients.
      originals: tensors that are computed on one device, from the whole batch.
      once: the operations that run once per step.

    Raises:
      NotReplicable: the graph can't be replicated; what was added to it is not used by anything else.
    """

    def __init__(
        self, graph: Graph, fetched: Sequence[Operation], feeds: Dict[Tensor, Any], devices: Sequence[str], keep: str,
        sparse: Sequence[Any] = (),
    ) -> None:
        self.graph, self.keep, self.devices = graph, keep, list(devices)
        self.regions = Regions(graph, fetched)
        with graph.as_default(), tf.control_dependencies(None):
            self._calls = self._applied_calls(feeds)
            starts = [each for scope in self._calls for each in self.regions.calls.by_scope[scope].roots]
            read = ancestors(starts, list(feeds), graph=graph)
            self.regions.needed |= read  # a gradient does not need the loss that it is of
            self.examples: Examples = find_examples(read, feeds, keep == GLOBAL, sparse)
            parts = [part for each in self.examples.sparse for part in parts_of(each)]
            self.regions.start_from([each.op for each in self.examples.fed + parts] + self.examples.reads)
            self.rows = Rows(self.examples.size, keep == PER_TOWER)
            self.rows.note(self.examples.tensors)
            self.rows.note_sparse(self.examples.sparse)
            self._follow()
            check_one_loss(self.regions, self._calls)
            self.rules: Dict[str, Rule] = {
                scope: rule_of([out for root in self.regions.calls.by_scope[scope].roots for out in root.outputs],
                               self.rows, self.regions.dependent)
                for scope in self._calls
            }
            self.towers = Towers(self.regions, self.rows, devices, self._whole, self.examples.size,
                                 bool(self.examples.fed or self.examples.sparse))
            self._kinds = Kinds(self.regions, self.rows, self.examples.size)
            self._wholes = Wholes(self.regions, self.rows, self.towers, self._kinds, self.rule,
                                  self.examples.tensors[0], keep == GLOBAL)
            self._register_examples()
        self.gradients: Dict[Tensor, Tensor] = {}
        self.sparse: Set[Tensor] = set()
        self.once: Dict[Operation, Operation] = {}
        self.originals: List[Tensor] = []

    def replaced(self, fetched: Sequence[Any]) -> Dict[str, Any]:
        """Returns name -> what takes its place, for tensors and operations that a training step fetches.

        What depends on no example, such as a variable, stays and is not among them.

        Raises:
          NotReplicable: towers can't compute one of them.
        """
        self.regions.extend([getattr(each, "op", each) for each in fetched])
        self._follow()
        with self.graph.as_default(), tf.control_dependencies(None):
            found = _Found({}, {}, {})
            for each in fetched:
                self._need(each, found)
            self._close(found)
            self._make(found)
            return {each.name: self._result(each) for each in fetched if self._is_replaced(each)}

    def has_losses_of(self, needed: Set[Operation]) -> bool:
        """Returns whether a run of operations computes the gradients of this step, and no other ones."""
        calls = self.regions.calls.by_scope
        return self._calls == sorted(
            scope for scope, call in calls.items()
            if scope not in self.regions.inner and not needed.isdisjoint(call.starts))

    # What is needed.

    def _applied_calls(self, feeds: Dict[Tensor, Any]) -> List[str]:
        calls = self.regions.calls.by_scope
        found = [scope for scope, call in calls.items()
                 if scope not in self.regions.inner and any(each in self.regions.needed for each in call.starts)]
        if not found:
            refuse("it has no gradients of tf.gradients: is it trained by other means?")
        return sorted(found)

    def _follow(self) -> None:
        forward = [each for each in self.regions.dependent if self.regions.call_of(each) is None]
        self.rows.follow(ordered(forward, self.regions.order), self.regions.dependent, self.regions.loops)

    def _register_examples(self) -> None:
        number = len(self.devices)
        size = self.examples.size
        if self.keep == PER_TOWER:
            for read in self.examples.reads:
                made = [list(read.outputs)] + [
                    list(copy_operations(
                        self.graph, [read], lambda each: Edges(list(each.inputs), list(each.control_inputs)),
                        "replicate/tower_{}".format(tower), lambda each: str(each.device),
                    )[read].outputs) for tower in range(1, number)
                ]
                for index, output in enumerate(read.outputs):
                    self.towers.register(output, [each[index] for each in made])
            return
        if size is not None and size % number:
            refuse("the graph has fixed its batch size to {}, which is not a multiple of {} towers".format(
                size, number), (self.examples.reads or [self.examples.fed[0].op])[0])
        with tf.name_scope("replicate/split/"):
            split = None if size is not None else Split(self.examples.tensors[0], number)
            self._wholes.counts = self.towers.counts = None if split is None else split.counts
            for tensor in self.examples.tensors:
                with tf.device(tensor.op.device):
                    self.towers.register(tensor, tf.split(tensor, number) if split is None else split.parts(tensor))
            for sparse in self.examples.sparse:
                assert split is not None  # sparse tensors beside a batch of a fixed size are refused
                of_towers = [parts_of(each) for each in split.sparse_parts(sparse)]
                for index, part in enumerate(parts_of(sparse)):
                    self.towers.register(part, [each[index] for each in of_towers])

    def rule(self, tensor: Tensor) -> Rule:
        """Returns how a gradient, a tensor of the graph, is reduced."""
        call = self.regions.call_of(tensor.op)
        assert call is not None
        return self.rules[call.scope]

    def _is_replaced(self, element: Any) -> bool:
        operation = getattr(element, "op", element)
        if operation not in self.regions.after:
            return False
        return operation is element or self._kind(element) != ORIGINAL

    def _kind(self, tensor: Tensor) -> str:
        return GRADIENT if tensor in self.gradients else self._kinds.of(tensor)

    def _need(self, element: Any, found: _Found) -> None:
        waiting = [element]
        while waiting:
            each = waiting.pop()
            operation = getattr(each, "op", each)
            if operation not in self.regions.after:
                continue
            if operation is each:
                waiting += self._need_operation(each, found)
            elif each not in found.wholes:
                kind = self._kind(each)
                if kind == COMPUTED:
                    waiting += self._need_operation(operation, found)
                elif kind == ORIGINAL:
                    self._need_original(each, found)
                else:
                    found.wholes[each] = None

    def _need_original(self, tensor: Tensor, found: _Found) -> None:
        if self.keep == PER_TOWER:
            refuse("the step reads what a loop or a function computes for a batch, and there is no rule how those of "
                   "towers are put together", tensor.op)
        found.originals[tensor] = None

    def _need_operation(self, operation: Operation, found: _Found) -> List[Any]:
        """Copies an operation once; returns what its copy needs."""
        if operation in found.once or operation in self.once:
            return []
        if self.regions.loops(operation):
            refuse("the step runs a part of a loop after its gradients", operation)
        if operation in self.regions.dependent and not self.regions.runs_once(operation) and operation.outputs \
                and self._kind(operation.outputs[0]) != COMPUTED:
            return list(operation.outputs[:1])
        found.once[operation] = None
        return list(operation.inputs) + self._controls(operation)

    def _controls(self, operation: Operation) -> List[Operation]:
        """Returns what runs before a copy of an operation; gradients do not wait for each other again."""
        return [] if self.regions.call_of(operation) is not None else list(operation.control_inputs)

    def _close(self, found: _Found) -> None:
        """Copies for the towers; adds what runs before their operations and once per step."""
        dropped = 0
        while True:
            self._reduce_gradients(found)
            self.towers.copy([each for each in found.wholes if self._kind(each) != GRADIENT])
            if len(self.towers.dropped) == dropped:
                return
            new, dropped = self.towers.dropped[dropped:], len(self.towers.dropped)
            for each in new:
                self._need(each, found)

    def _reduce_gradients(self, found: _Found) -> None:
        new = [each for each in found.wholes if self._kind(each) == GRADIENT and each not in self.gradients]
        if not new:
            return
        self.sparse |= sparse_gradients(list(found.once), set(new), self.regions)
        if self.examples.size is not None:
            gradients_of_towers(self, new, list(found.once))
        else:
            self.towers.copy(new)
        self._wholes.gradients(new, self.sparse)
        for each in new:
            self.gradients[each] = self._wholes.of(each)

    # What is made.

    def _make(self, found: _Found) -> None:
        for each in found.wholes:
            self._wholes.of(each)
        self.originals += [each for each in found.originals if each not in self.originals]
        operations = ordered(found.once, self.regions.order)
        before = self._before_updates(operations) + [each.op for each in found.originals]
        made = copy_operations(
            self.graph, operations, lambda each: self._edges(each, found, before), "replicate/once",
            lambda each: str(each.device),
        )
        self.once.update(made)

    def _before_updates(self, operations: List[Operation]) -> List[Operation]:
        """Returns what is computed once from variables, and not from gradients: no variable is updated before it."""
        after: Set[Operation] = set()
        for each in operations:
            if any(tensor in self.gradients or tensor.op in after for tensor in each.inputs) or not after.isdisjoint(
                    each.control_inputs):
                after.add(each)
        # What runs after a branch of a tf.cond that is not taken does not run either.
        return [each for each in operations if each not in after and not conditions_of(each)]

    def _edges(self, operation: Operation, found: _Found, before_updates: List[Operation]) -> Edges:
        inputs = [self._input(each, found) for each in operation.inputs]
        controls: List[Operation] = []
        for before in self._controls(operation):
            if before in found.once or before not in self.regions.after:
                controls.append(before)
            elif before in self.once:
                controls.append(self.once[before])
            elif before.outputs:
                controls.append(self._input(before.outputs[0], found).op)
        if any(each in self.gradients for each in operation.inputs):
            controls += [self.once.get(each, each) for each in self.towers.dropped
                         if each in found.once or each in self.once] + before_updates
        return Edges(inputs, controls)

    def _input(self, tensor: Tensor, found: _Found) -> Tensor:
        operation = tensor.op
        if operation not in self.regions.after or operation in found.once or tensor in found.originals:
            return tensor
        if operation in self.once:
            return self.once[operation].outputs[tensor.value_index]
        return tensor if self._kind(tensor) == ORIGINAL else self._wholes.of(tensor)

    def _result(self, element: Any) -> Any:
        operation = getattr(element, "op", element)
        if operation in self.once:
            copy = self.once[operation]
            return copy if operation is element else copy.outputs[element.value_index]
        if operation is element:
            return self._wholes.of(operation.outputs[0]).op
        return self._wholes.of(element)

    def _whole(self, tensor: Tensor) -> Tensor:
        return tensor if tensor.op not in self.regions.after else self._wholes.of(tensor)
