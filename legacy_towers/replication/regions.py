"""Which operations of a training step depend on its examples, and which of them compute gradients.

    examples -> forward -> loss -> gradients -> | clip, apply, count the step, average, summarize
    `dependent`: what data flows into from the examples. `after`: what runs after it, by control inputs too.
"""
from typing import Dict, Iterable, List, Optional, Set

from legacy_towers.compat.versions.graph import conditions_of, loops_of
from legacy_towers.graph.gradient_calls import GradientCall, GradientCalls
from legacy_towers.graph.walk import ancestors, reached
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.writes import TEMPORARY, writes_state
from legacy_towers.tensor_types import Graph, Operation

_ENTERS = ("Enter", "RefEnter")


class Regions:
    """The parts of a training step.

    Args:
      graph: the graph.
      fetched: the operations that the step fetches.

    Attributes:
      needed: the operations that the step runs.
      order: operation -> its number in an order in which inputs come first, except in loops.
      dependent, after: see above.
      calls: the calls of tf.gradients.
    """

    def __init__(self, graph: Graph, fetched: Iterable[Operation]) -> None:
        operations = graph.get_operations()
        self.graph = graph
        self.order: Dict[Operation, int] = {}
        self.calls = GradientCalls(operations)
        self.needed: Set[Operation] = ancestors(list(fetched), graph=graph)
        self.dependent: Set[Operation] = set()
        self.after: Set[Operation] = set()
        self._starts: List[Operation] = []
        self._data: Dict[Operation, List[Operation]] = {}
        self._controls: Dict[Operation, List[Operation]] = {}
        self._writing: Set[Operation] = set()
        self._once: Set[Operation] = set()
        self._inner: Optional[Set[str]] = None
        self._loops: Dict[Operation, List[str]] = {}

    def start_from(self, starts: List[Operation]) -> None:
        """Finds what depends on `starts`, the operations that hold the examples."""
        self._starts = starts
        self.order = _ordered(self.needed, self.graph)
        self._data = _consumers(self.needed, by_control=False)
        self._controls = _consumers(self.needed, by_control=True)
        seeds = set(starts) | {each for each in self.needed if each.type in TEMPORARY}
        self.dependent = _reached(seeds, self._data)
        while True:
            more = self._whole_loops() - self.dependent
            if not more:
                break
            self.dependent = _reached(self.dependent | more, self._data)
        self.after = _reached(self.dependent, self._controls)
        self._find_writes()

    def extend(self, fetched: Iterable[Operation]) -> None:
        """Adds what another step fetches."""
        more = ancestors(list(fetched), graph=self.graph) - self.needed
        if more:
            self.needed |= more  # of losses, too, which `fetched` need not have
            self.start_from(self._starts)

    def loops(self, operation: Operation) -> List[str]:
        """Returns the names of the loops around an operation, the outermost first."""
        if operation not in self._loops:
            self._loops[operation] = loops_of(operation)
        return self._loops[operation]

    def call_of(self, operation: Operation) -> Optional[GradientCall]:
        """Returns the call of tf.gradients whose gradients are applied and that made an operation; None: none did."""
        if operation not in self.dependent:
            return None
        call = self.calls.of(operation)
        return None if call is None or call.scope in self.inner else call

    @property
    def inner(self) -> Set[str]:
        """The scopes of the calls whose gradients are part of a loss, such as a penalty of gradients."""
        if self._inner is None:
            roots = {call.scope: ancestors(call.roots, graph=self.graph, by_control=False)
                     for call in self.calls.by_scope.values() if call.roots}
            self._inner = {
                call.scope for call in self.calls.by_scope.values()
                if any(scope != call.scope and not reached.isdisjoint(call.starts) for scope, reached in roots.items())
            }
        return self._inner

    def whole_loop(self, name: str) -> List[Operation]:
        """Returns the operations of the outermost loop `name`, and those that lead into it."""
        return [
            each for each in self.dependent if self.loops(each)[:1] == [name]
            or each.type in _ENTERS and each.get_attr("frame_name").decode() == name
        ]

    def runs_once(self, operation: Operation) -> bool:
        """Returns whether an operation changes a state, or only waits for what does: an update, a group of updates.

        What computes something is of the towers, even where it runs after an update.
        """
        return operation in self._once

    def changes_state(self, operation: Operation) -> bool:
        """Returns whether an operation, or what must run before it and after the examples, changes a state."""
        return operation in self._writing

    def _find_writes(self) -> None:
        self._once, self._writing = set(), set()
        for each in sorted(self.after, key=self.order.__getitem__):
            before = [tensor.op for tensor in each.inputs]
            controls = list(each.control_inputs)
            writes = writes_state(each)
            if writes or not self._writing.isdisjoint(before) or not self._writing.isdisjoint(controls):
                self._writing.add(each)
            # A gradient's own groups wait for updates where it is computed after them.
            waits = not each.outputs and not self._once.isdisjoint(controls) and self.calls.of(each) is None
            if writes or waits or not self._once.isdisjoint(before):
                self._once.add(each)

    def _whole_loops(self) -> Set[Operation]:
        """Returns the operations of each loop that has dependent ones, and of each tf.cond whose predicate is one."""
        frames = {frame for each in self.dependent for frame in self.loops(each)[:1]}
        found: Set[Operation] = set()
        for each in self.needed:
            if each.type in _ENTERS:
                name = each.get_attr("frame_name").decode()
                if each in self.dependent and not self._is_known(name):
                    refuse("the graph does not know its tf.while_loops, since it was imported as a GraphDef", each)
                if name in frames:
                    found.add(each)
            if frames.intersection(self.loops(each)):
                found.add(each)
            elif any(getattr(pred, "op", None) in self.dependent for pred in conditions_of(each)):
                found.add(each)
        return found

    def _is_known(self, frame: str) -> bool:
        return any(frame in self.loops(each) for each in self.needed)


def _ordered(operations: Set[Operation], graph: Graph) -> Dict[Operation, int]:
    """Returns operation -> its number. A Switch of a tf.cond is made after the operation that reads it."""
    order: Dict[Operation, int] = {}
    entered: Set[Operation] = set()
    for start in [each for each in graph.get_operations() if each in operations]:
        waiting = [start]
        while waiting:
            each = waiting[-1]
            if each in entered:
                waiting.pop()
                order.setdefault(each, len(order))
                continue
            entered.add(each)
            before = [tensor.op for tensor in each.inputs] + list(each.control_inputs)
            waiting += [one for one in before if one in operations and one not in entered]
    return order


def _consumers(operations: Set[Operation], by_control: bool) -> Dict[Operation, List[Operation]]:
    found: Dict[Operation, List[Operation]] = {}
    for operation in operations:
        for tensor in operation.inputs:
            found.setdefault(tensor.op, []).append(operation)
        for before in operation.control_inputs if by_control else ():
            found.setdefault(before, []).append(operation)
    return found


def _reached(starts: Iterable[Operation], edges: Dict[Operation, List[Operation]]) -> Set[Operation]:
    return reached(starts, lambda operation: edges.get(operation, ()))
