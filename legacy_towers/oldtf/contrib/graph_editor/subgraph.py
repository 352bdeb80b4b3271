"""SubGraphView: some operations of a graph as a function of input tensors that gives output tensors."""
import copy
from typing import Any, Iterable, List, Optional

from legacy_towers.compat import graph_editing
from legacy_towers.oldtf.contrib.graph_editor import select, util

__all__ = ["SubGraphView", "make_view", "make_view_from_scope"]


def _indices(given: Iterable[Any], tensors: List[Any], may_repeat: bool) -> List[int]:
    found = [each if isinstance(each, int) else tensors.index(each) for each in given]
    for index in found:
        if not 0 <= index < len(tensors):
            raise ValueError("Out of [0, {}[ range: {}".format(len(tensors), index))
    if not may_repeat and len(set(found)) != len(found):
        raise ValueError("Found repetition in mapping: {}".format(found))
    return found


class SubGraphView:
    """A view of the operations `inside_ops`; tensors of `passthrough_ts` that none of them has are input and output.

    The graph is not changed by it: `remap_inputs` and the like return other views. Those functions of the graph editor
    that change the graph change the views that they were given with it.
    """

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        self._graph: Any = None
        self._ops: List[Any] = []
        self._passthrough_ts: List[Any] = []
        self._input_ts: List[Any] = []
        self._output_ts: List[Any] = []
        ops, tensors = util.make_list_of_op(inside_ops), util.make_list_of_t(passthrough_ts)
        if ops or tensors:
            self._graph = util.get_unique_graph(ops + tensors)
            self._ops = ops
            inputs, outputs, inside = select.compute_boundary_ts(ops)
            connected = frozenset(inputs + outputs + inside)
            self._passthrough_ts = [tensor for tensor in tensors if tensor not in connected]
            self._input_ts = inputs + self._passthrough_ts
            self._output_ts = outputs + self._passthrough_ts

    def __copy__(self) -> "SubGraphView":
        made = type(self).__new__(type(self))
        made._assign_from(self)
        return made

    def _assign_from(self, other: "SubGraphView") -> None:
        if not isinstance(other, SubGraphView):
            raise TypeError("Expected SubGraphView, got: {}".format(type(other)))
        self._graph = other._graph
        self._ops = list(other._ops)
        self._passthrough_ts = list(other._passthrough_ts)
        self._input_ts = list(other._input_ts)
        self._output_ts = list(other._output_ts)

    def copy(self) -> "SubGraphView":
        """Returns another view of the same operations."""
        return copy.copy(self)

    def remap_default(self, remove_input_map: bool = True, remove_output_map: bool = True) -> "SubGraphView":
        """Returns a view with all inputs and outputs again."""
        made = self.copy()
        inputs, outputs, _ = select.compute_boundary_ts(self._ops)
        if remove_input_map:
            made._input_ts = inputs + self._passthrough_ts
        if remove_output_map:
            made._output_ts = outputs + self._passthrough_ts
        return made

    def remap_outputs_make_unique(self) -> "SubGraphView":
        """Returns a view that has each output once."""
        made = self.copy()
        made._output_ts = util.concatenate_unique([], self._output_ts)
        return made

    def remap_outputs_to_consumers(self) -> "SubGraphView":
        """Returns a view that has each output as often as it is read."""
        made = self.remap_outputs_make_unique()
        made._output_ts = [tensor for tensor in made._output_ts for _ in tensor.consumers()]
        return made

    def remove_unused_ops(self, control_inputs: bool = True) -> "SubGraphView":
        """Returns a view without the operations that neither depend on an input nor lead to an output."""
        made = self.copy()
        used = frozenset(
            select.get_walks_union_ops(
                self.connected_inputs, self.connected_outputs, within_ops=self._ops, control_inputs=control_inputs
            )
        )
        made._ops = [op for op in self._ops if op in used]
        return made

    def _remap_inputs(self, new_input_indices: Iterable[Any]) -> None:
        self._input_ts = [self._input_ts[index] for index in _indices(new_input_indices, self._input_ts, False)]

    def _remap_outputs(self, new_output_indices: Iterable[Any]) -> None:
        self._output_ts = [self._output_ts[index] for index in _indices(new_output_indices, self._output_ts, True)]

    def remap_inputs(self, new_input_indices: Iterable[Any]) -> "SubGraphView":
        """Returns a view with some of the inputs, given by tensors or indices, in another order."""
        return self.remap(new_input_indices=new_input_indices)

    def remap_outputs(self, new_output_indices: Iterable[Any]) -> "SubGraphView":
        """Returns a view with some of the outputs, given by tensors or indices, which may come twice."""
        return self.remap(new_output_indices=new_output_indices)

    def remap(
        self, new_input_indices: Optional[Iterable[Any]] = None, new_output_indices: Optional[Iterable[Any]] = None
    ) -> "SubGraphView":
        """Returns a view with other inputs and outputs.

        Raises:
          ValueError: there is no such input or output, or an input comes twice.
        """
        made = self.copy()
        if new_input_indices is not None:
            made._remap_inputs(new_input_indices)
        if new_output_indices is not None:
            made._remap_outputs(new_output_indices)
        return made

    def take_inputs_of(self, other: "SubGraphView", both_ways: bool = False) -> None:
        """Gives this view the inputs of `other`, passthroughs included, and with `both_ways` the other way round.

        An output that was a passthrough stays the input at its place.
        """
        ours, theirs = self.copy(), other.copy()
        self._input_ts, self._passthrough_ts = list(theirs._input_ts), list(theirs._passthrough_ts)
        if both_ways:
            other._input_ts, other._passthrough_ts = list(ours._input_ts), list(ours._passthrough_ts)
        other._let_pass_through(self)
        if both_ways:
            self._let_pass_through(other)

    def _let_pass_through(self, other: "SubGraphView") -> None:
        for index, tensor in enumerate(other._output_ts):
            if tensor in self._passthrough_ts:
                other._output_ts[index] = other._input_ts[self._input_ts.index(tensor)]

    def find_op_by_name(self, op_name: str) -> Any:
        """Returns the operation of this name.

        Raises:
          ValueError: there is none.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError("{} not in subgraph.".format(op_name))

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"
        lines = ["SubGraphView (graphid={}):".format(id(self.graph))]
        for title, members in (("ops", self._ops), ("inputs", self._input_ts), ("outputs", self._output_ts)):
            lines.append("** {}[{}]:".format(title, len(members)) if members else "** {}: empty".format(title))
            lines += ["  " + each.name + (" *" if each in self._passthrough_ts else "") for each in members]
        return "\n".join(lines) + "\n"

    @property
    def graph(self) -> Any:
        return self._graph

    @property
    def ops(self) -> List[Any]:
        return self._ops

    @property
    def inputs(self) -> util.ListView:
        return util.ListView(self._input_ts)

    @property
    def connected_inputs(self) -> List[Any]:
        return [tensor for tensor in self._input_ts if tensor not in self._passthrough_ts]

    @property
    def outputs(self) -> util.ListView:
        return util.ListView(self._output_ts)

    @property
    def connected_outputs(self) -> List[Any]:
        return [tensor for tensor in self._output_ts if tensor not in self._passthrough_ts]

    @property
    def passthroughs(self) -> util.ListView:
        return util.ListView(self._passthrough_ts)

    def __bool__(self) -> bool:
        return self._graph is not None

    def op(self, op_id: int) -> Any:
        """Returns an operation by its index."""
        return self._ops[op_id]

    def is_passthrough(self, t: Any) -> bool:
        """Returns whether `t` goes from input to output and no operation has it."""
        return t in self._passthrough_ts

    def __enter__(self) -> "SubGraphView":
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        pass

    def input_index(self, t: Any) -> int:
        """Returns the index of the input `t`.

        Raises:
          ValueError: it is no input.
        """
        if t not in self._input_ts:
            raise ValueError("Can't find {} in inputs of the subgraph.".format(t.name))
        return self._input_ts.index(t)

    def output_index(self, t: Any) -> int:
        """Returns the index of the output `t`.

        Raises:
          ValueError: it is no output.
        """
        if t not in self._output_ts:
            raise ValueError("Can't find {} in outputs of the subgraph.".format(t.name))
        return self._output_ts.index(t)

    def consumers(self) -> List[Any]:
        """Returns the operations outside that read an output."""
        members = frozenset(self._ops)
        found: List[Any] = []
        for tensor in self._output_ts:
            util.concatenate_unique(found, (op for op in tensor.consumers() if op not in members))
        return found


def _checked(view: SubGraphView, graph: Any) -> SubGraphView:
    if graph is not None and view.graph:
        if not graph_editing.is_graph(graph):
            raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
        if view.graph is not graph:
            raise ValueError("Graph mismatch.")
    return view


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """Returns the view of operations and tensors, given themselves or by regular expressions; see `select_ops`."""
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        return _checked(args[0], kwargs.get("graph"))
    return _checked(SubGraphView(*select.select_ops_and_ts(*args, **kwargs)), kwargs.get("graph"))


def make_view_from_scope(scope: str, graph: Any) -> SubGraphView:
    """Returns the view of all operations of `graph` in a name scope."""
    return SubGraphView(select.get_name_scope_ops(graph, scope))
