"""SubGraphView: a set of ops of a graph with its input and output tensors."""
import copy
from typing import Any, Iterable, List, Optional

from legacy_towers.compat.tf1.contrib.graph_editor import select, util
from legacy_towers.compat.tf1.contrib.private import graph_editing

__all__ = ["SubGraphView", "make_view", "make_view_from_scope"]


def _indices(tensors_or_indices: Iterable[Any], tensors: List[Any], may_repeat: bool) -> List[int]:
    indices = [each if isinstance(each, int) else tensors.index(each) for each in tensors_or_indices]
    for index in indices:
        if not 0 <= index < len(tensors):
            raise ValueError("Out of [0, {}[ range: {}".format(len(tensors), index))
    if not may_repeat and len(set(indices)) != len(indices):
        raise ValueError("Found repetition in mapping: {}".format(indices))
    return indices


class SubGraphView:
    """A view of the ops `inside_ops` of a graph, with lists of its inputs and outputs.

    Methods such as `remap_inputs` return a new view and do not change the graph. The functions of the graph editor that
    change the graph, such as `swap_inputs`, also update the views that they get.

    Args:
      inside_ops: the ops of the view.
      passthrough_ts: tensors that are both input and output; ignored where they belong to `inside_ops`.
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
        view = type(self).__new__(type(self))
        view._assign_from(self)
        return view

    def _assign_from(self, other: "SubGraphView") -> None:
        if not isinstance(other, SubGraphView):
            raise TypeError("Expected SubGraphView, got: {}".format(type(other)))
        self._graph = other._graph
        self._ops = list(other._ops)
        self._passthrough_ts = list(other._passthrough_ts)
        self._input_ts = list(other._input_ts)
        self._output_ts = list(other._output_ts)

    def copy(self) -> "SubGraphView":
        """Returns a copy of this view; the ops are not copied."""
        return copy.copy(self)

    def remap_default(self, remove_input_map: bool = True, remove_output_map: bool = True) -> "SubGraphView":
        """Returns a view whose inputs and outputs are no longer remapped."""
        view = self.copy()
        inputs, outputs, _ = select.compute_boundary_ts(self._ops)
        if remove_input_map:
            view._input_ts = inputs + self._passthrough_ts
        if remove_output_map:
            view._output_ts = outputs + self._passthrough_ts
        return view

    def remap_outputs_make_unique(self) -> "SubGraphView":
        """Returns a view without repeated outputs."""
        view = self.copy()
        view._output_ts = util.concatenate_unique([], self._output_ts)
        return view

    def remap_outputs_to_consumers(self) -> "SubGraphView":
        """Returns a view that repeats each output for each of its consumers."""
        view = self.remap_outputs_make_unique()
        view._output_ts = [tensor for tensor in view._output_ts for _ in tensor.consumers()]
        return view

    def remove_unused_ops(self, control_inputs: bool = True) -> "SubGraphView":
        """Returns a view without the ops that neither depend on an input nor lead to an output.

        Args:
          control_inputs: whether control dependencies count.
        """
        view = self.copy()
        used = frozenset(
            select.get_walks_union_ops(
                self.connected_inputs, self.connected_outputs, within_ops=self._ops, control_inputs=control_inputs
            )
        )
        view._ops = [op for op in self._ops if op in used]
        return view

    def _remap_inputs(self, new_input_indices: Iterable[Any]) -> None:
        self._input_ts = [self._input_ts[index] for index in _indices(new_input_indices, self._input_ts, False)]

    def _remap_outputs(self, new_output_indices: Iterable[Any]) -> None:
        self._output_ts = [self._output_ts[index] for index in _indices(new_output_indices, self._output_ts, True)]

    def remap_inputs(self, new_input_indices: Iterable[Any]) -> "SubGraphView":
        """Returns a view with these inputs (tensors or indices), in this order."""
        return self.remap(new_input_indices=new_input_indices)

    def remap_outputs(self, new_output_indices: Iterable[Any]) -> "SubGraphView":
        """Returns a view with these outputs (tensors or indices), in this order; outputs may be repeated."""
        return self.remap(new_output_indices=new_output_indices)

    def remap(
        self, new_input_indices: Optional[Iterable[Any]] = None, new_output_indices: Optional[Iterable[Any]] = None
    ) -> "SubGraphView":
        """Returns a view with these inputs and outputs; see `remap_inputs` and `remap_outputs`.

        Raises:
          ValueError: an input or output does not exist, or an input is repeated.
        """
        view = self.copy()
        if new_input_indices is not None:
            view._remap_inputs(new_input_indices)
        if new_output_indices is not None:
            view._remap_outputs(new_output_indices)
        return view

    def take_inputs_of(self, other: "SubGraphView", swap: bool = False) -> None:
        """Sets this view's inputs, passthroughs included, to those of `other`; with `swap`, exchanges them.

        An output that was a passthrough remains equal to the input with the same index.
        """
        ours, theirs = self.copy(), other.copy()
        self._input_ts, self._passthrough_ts = list(theirs._input_ts), list(theirs._passthrough_ts)
        if swap:
            other._input_ts, other._passthrough_ts = list(ours._input_ts), list(ours._passthrough_ts)
        other._reconnect_passthroughs(self)
        if swap:
            self._reconnect_passthroughs(other)

    def _reconnect_passthroughs(self, other: "SubGraphView") -> None:
        for index, tensor in enumerate(other._output_ts):
            if tensor in self._passthrough_ts:
                other._output_ts[index] = other._input_ts[self._input_ts.index(tensor)]

    def find_op_by_name(self, op_name: str) -> Any:
        """Returns the op with this name.

        Raises:
          ValueError: the view has no such op.
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
        """Returns the op with the index `op_id`."""
        return self._ops[op_id]

    def is_passthrough(self, t: Any) -> bool:
        """Returns whether the tensor `t` is a passthrough."""
        return t in self._passthrough_ts

    def __enter__(self) -> "SubGraphView":
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        pass

    def input_index(self, t: Any) -> int:
        """Returns the index of the input `t`.

        Raises:
          ValueError: `t` is not an input.
        """
        if t not in self._input_ts:
            raise ValueError("Can't find {} in inputs of the subgraph.".format(t.name))
        return self._input_ts.index(t)

    def output_index(self, t: Any) -> int:
        """Returns the index of the output `t`.

        Raises:
          ValueError: `t` is not an output.
        """
        if t not in self._output_ts:
            raise ValueError("Can't find {} in outputs of the subgraph.".format(t.name))
        return self._output_ts.index(t)

    def consumers(self) -> List[Any]:
        """Returns the ops outside the view that consume an output."""
        members = frozenset(self._ops)
        consumers: List[Any] = []
        for tensor in self._output_ts:
            util.concatenate_unique(consumers, (op for op in tensor.consumers() if op not in members))
        return consumers


def _check_graph(view: SubGraphView, graph: Any) -> SubGraphView:
    if graph is not None and view.graph:
        if not graph_editing.is_graph(graph):
            raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
        if view.graph is not graph:
            raise ValueError("Graph mismatch.")
    return view


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """Returns the view of ops and tensors; the arguments are those of `select_ops_and_ts`, or a view.

    Raises:
      TypeError: `graph` is not a graph.
      ValueError: the ops and tensors do not belong to `graph`.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        return _check_graph(args[0], kwargs.get("graph"))
    return _check_graph(SubGraphView(*select.select_ops_and_ts(*args, **kwargs)), kwargs.get("graph"))


def make_view_from_scope(scope: str, graph: Any) -> SubGraphView:
    """Returns the view of the ops of `graph` in the name scope `scope`."""
    return SubGraphView(select.get_name_scope_ops(graph, scope))
