"""The training that a graph does: which towers' losses update which variables, and by which factors."""
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.doctor.towers import KEYS
from legacy_towers.doctor.training.linear import Part, parts_of
from legacy_towers.graph.gradient_calls import GradientCall, GradientCalls
from legacy_towers.graph.op_kinds import INPUT_OPS, PLACEHOLDER_OPS, PYTHON_FUNCTION_OPS, VARIABLE_OPS
from legacy_towers.graph.variable_writes import Update, find_updates
from legacy_towers.graph.walk import operations_of
from legacy_towers.tensor_types import Graph, Operation

_SOURCES = INPUT_OPS | PLACEHOLDER_OPS | PYTHON_FUNCTION_OPS
# No gradient flows through these.
_STOPS = frozenset(
    "StopGradient ArgMax ArgMin Shape ShapeN Size Rank ZerosLike OnesLike Floor Ceil Round Rint Sign Greater Less "
    "GreaterEqual LessEqual Equal NotEqual".split()
)


class Contribution(NamedTuple):
    """What one call of tf.gradients adds to the gradient that an update applies.

    Attributes:
      call: the call.
      part: the gradient that it computes, and the factor of that in the update.
    """

    call: GradientCall
    part: Part


class Training:
    """The training that a graph does.

    Args:
      graph: the graph.
      ran: the operations that some session run needed; None if that is unknown, so that all of them count.

    Attributes:
      calls: the calls of tf.gradients.
      all_updates: the updates by gradients.
      updates: those of them that ran.
      towers: the names of the towers that its losses belong to, sorted; empty if they do not belong to several.
    """

    def __init__(self, graph: Graph, ran: Optional[Set[Operation]]) -> None:
        self._graph = graph
        operations = graph.get_operations()
        self.calls = GradientCalls(operations)
        self.all_updates: List[Update] = find_updates(operations)
        self.updates = [each for each in self.all_updates if ran is None or each.operation in ran]
        self.regularization = frozenset(
            each for each in operations_of([
                each for each in graph.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) if isinstance(each, tf.Tensor)
            ], graph)
        )
        self._contributions: Dict[Operation, Optional[List[Contribution]]] = {}
        self._scopes: Dict[Operation, FrozenSet[str]] = {}
        self._losses: Dict[str, Optional[List[Part]]] = {}
        self._keys: Dict[Operation, FrozenSet[str]] = {}
        self._sources: Dict[Operation, bool] = {}
        self._differentiated: Dict[str, Set[Operation]] = {}
        self._repeated: Optional[Set[Operation]] = None
        self.key_of, self.towers = self._towers()

    @property
    def trained(self) -> List[Operation]:
        """The variables that updates which ran write, in the order of their names."""
        return sorted({each.variable for each in self.updates}, key=lambda each: str(each.name))

    def contributions(self, update: Update) -> Optional[List[Contribution]]:
        """Returns what the calls of tf.gradients add to an update; None if it is not a sum of scaled gradients."""
        if update.operation not in self._contributions:
            parts = parts_of(update.gradient, lambda each: self.calls.of(each) is not None, of_gradients=True)
            found: Optional[List[Contribution]] = []
            for part in parts or ():
                call = self.calls.of(part.tensor.op)
                if call is not None:
                    assert found is not None
                    found.append(Contribution(call, part))
                elif self.calls_before(part.tensor.op, 0):
                    found = None
                    break
            self._contributions[update.operation] = found if parts is not None else None
        return self._contributions[update.operation]

    def calls_before(self, operation: Operation, ndims: Optional[int]) -> FrozenSet[str]:
        """Returns the scopes of the calls whose gradients an operation reads, in whichever way.

        Args:
          operation: the operation.
          ndims: the dimensions of the variable. Unless it is a scalar, scalars (norms, counts) are not followed.
        """
        found: Set[str] = set()
        waiting, seen = [operation], {operation}
        while waiting:
            each = waiting.pop()
            call = self.calls.of(each)
            if call is not None:
                found.add(call.scope)
                continue
            for tensor in each.inputs:
                if tensor.op not in seen and (not ndims or tensor.shape.ndims != 0):
                    seen.add(tensor.op)
                    waiting.append(tensor.op)
        return frozenset(found)

    def scopes(self, update: Update) -> FrozenSet[str]:
        """Returns the scopes of the calls whose gradients an update applies, in whichever way."""
        if update.operation not in self._scopes:
            self._scopes[update.operation] = self.calls_before(update.gradient.op, update.gradient.shape.ndims)
        return self._scopes[update.operation]

    def losses(self, call: GradientCall) -> List[Part]:
        """Returns the losses that a call differentiates a sum of; regularization losses are not taken apart."""
        if call.scope not in self._losses:
            found: List[Part] = []
            for root in call.roots:
                found += parts_of(root.outputs[0], self.regularization.__contains__) or []
            self._losses[call.scope] = found
        return self._losses[call.scope] or []

    def data_losses(self, call: GradientCall) -> List[Part]:
        """Returns those of `losses` that read examples."""
        return [each for each in self.losses(call) if self.reads_examples(each.tensor.op)]

    @property
    def repeated_regularization(self) -> Set[Operation]:
        """The regularization losses that several towers make of the same variables."""
        if self._repeated is None:
            by_variables: Dict[FrozenSet[Operation], List[Operation]] = {}
            for loss in self.regularization:
                variables = frozenset(each for each in _data_ancestors(loss) if each.type in VARIABLE_OPS)
                by_variables.setdefault(variables, []).append(loss)
            self._repeated = {
                each for losses in by_variables.values() if len(set(map(self.key_of, losses))) > 1 for each in losses
            }
        return self._repeated

    def tower_of(self, operation: Operation) -> Optional[str]:
        """Returns the tower of a loss: its own, or that of all it reads; None if it belongs to none or several."""
        key = self.key_of(operation)
        if key is not None:
            return key
        if operation not in self._keys:
            self._keys[operation] = frozenset(
                key for key in map(self.key_of, _data_ancestors(operation)) if key is not None
            )
        keys = self._keys[operation]
        return next(iter(keys)) if len(keys) == 1 else None

    def towers_of(self, call: GradientCall) -> FrozenSet[str]:
        """Returns the towers whose losses over examples a call differentiates."""
        keys = (self.tower_of(each.tensor.op) for each in self.data_losses(call))
        return frozenset(each for each in keys if each is not None)

    def reads_examples(self, operation: Operation) -> bool:
        """Returns whether a loss reads an input op."""
        if operation not in self._sources:
            self._sources[operation] = any(
                each.type in _SOURCES and any(output.shape.ndims != 0 for output in each.outputs)
                for each in _data_ancestors(operation)
            )
        return self._sources[operation]

    def differentiable(self, call: GradientCall) -> Set[Operation]:
        """Returns the variables that the losses of a call depend on by operations that have gradients."""
        if call.scope not in self._differentiated:
            seen = set(call.roots)
            waiting = list(call.roots)
            while waiting:
                operation = waiting.pop()
                if operation.type in _STOPS or operation.type in VARIABLE_OPS:
                    continue
                for tensor in operation.inputs:
                    follows = tensor.dtype.base_dtype.is_floating or tensor.dtype.base_dtype == tf.resource
                    if follows and tensor.op not in seen:
                        seen.add(tensor.op)
                        waiting.append(tensor.op)
            self._differentiated[call.scope] = {each for each in seen if each.type in VARIABLE_OPS}
        return self._differentiated[call.scope]

    def _towers(self) -> Tuple[Callable[[Operation], Optional[str]], List[str]]:
        """Returns how to know the tower of an operation, and the towers whose gradients are applied."""
        used = {scope for update in self.updates for scope in self.scopes(update)}
        for scopes in (used, set(self.calls.by_scope) if used else used):
            for key_of in KEYS:
                self.key_of = key_of
                self._keys.clear()
                by_call = {scope: self.towers_of(self.calls.by_scope[scope]) for scope in scopes}
                if len(frozenset().union(*by_call.values())) > 1:
                    found = frozenset().union(*(by_call[scope] for scope in used))
                    return key_of, sorted(found) if len(found) > 1 else []
        return KEYS[0], []


def _data_ancestors(operation: Operation) -> Set[Operation]:
    seen = {operation}
    waiting = [operation]
    while waiting:
        for tensor in waiting.pop().inputs:
            if tensor.op not in seen:
                seen.add(tensor.op)
                waiting.append(tensor.op)
    return seen
