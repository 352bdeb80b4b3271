"""Copies of a part of a graph, as it is or with other inputs."""
from typing import Any, Callable, Dict, List, Optional, Tuple

from legacy_towers.compat import graph_editing, tf
from legacy_towers.oldtf.contrib.graph_editor import reroute, select, subgraph, util
from legacy_towers.oldtf.contrib.graph_editor.handlers import (
    assign_renamed_collections_handler,
    copy_op_handler,
    keep_t_if_possible_handler,
    replace_t_with_placeholder_handler,
    transform_op_if_inside_handler,
)

__all__ = [
    "Transformer",
    "TransformerInfo",
    "assign_renamed_collections_handler",
    "copy",
    "copy_op_handler",
    "copy_with_input_replacements",
    "graph_replace",
    "keep_t_if_possible_handler",
    "replace_t_with_placeholder_handler",
    "transform_op_if_inside_handler",
]


class TransformerInfo:
    """Which operations and tensors became which."""

    def __init__(self, info: Any) -> None:
        self._graph, self._scope = info.graph, info.scope
        self._graph_, self._scope_ = info.graph_, info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def transformed(self, original: Any, missing_fn: Optional[Callable[[Any], Any]] = None) -> Any:
        """Returns what an operation, a tensor, or nested lists of them became.

        `missing_fn` says what is returned for what was not copied; without it None is.
        """

        def of(elem: Any) -> Any:
            pairs = self._pairs(elem)
            return pairs[elem] if elem in pairs else missing_fn(elem) if missing_fn is not None else None

        return util.transform_tree(original, of)

    def original(self, transformed: Any, missing_fn: Optional[Callable[[Any], Any]] = None) -> Any:
        """Returns what something came from; see `transformed`."""

        def of(elem: Any) -> Any:
            for before, after in self._pairs(elem).items():
                if after is elem:
                    return before
            return missing_fn(elem) if missing_fn is not None else None

        return util.transform_tree(transformed, of)

    def _pairs(self, elem: Any) -> Dict[Any, Any]:
        if isinstance(elem, tf.Operation):
            return self._transformed_ops
        if isinstance(elem, tf.Tensor):
            return self._transformed_ts
        raise TypeError("Expected a tf.Tensor or a tf.Operation, got a {}".format(type(elem)))

    def __str__(self) -> str:
        if self._graph is self._graph_:
            lines = ["  Within graph[{}]{}".format(id(self._graph), "" if self._scope_ else " IN-PLACE")]
        else:
            lines = ["  graph[{}] => graph[{}]".format(id(self._graph), id(self._graph_))]
        if self._scope:
            lines.append("  Relative to source scope: {}".format(self._scope))
        if self._scope_:
            lines.append("  Scope destination: {}".format(self._scope_))
        lines += ["Operations mapping:"]
        lines += ["  {} => {}".format(op.name, made.name) for op, made in self._transformed_ops.items()]
        return "\n".join(["Transform result info:"] + lines) + "\n"


class _Work:
    """What the handlers of a Transformer are told while it works; a name with a line behind it is of the copy."""

    def __init__(self, sgv: Any, dst_graph: Any, dst_scope: str, src_scope: str) -> None:
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = frozenset(sgv.ops)
        self.control_outputs = util.ControlOutputs(sgv.graph)
        self.graph, self.scope = sgv.graph, src_scope
        self.graph_, self.scope_ = dst_graph, dst_scope
        self.transformed_ops: Dict[Any, Any] = {}
        self.transformed_ts: Dict[Any, Any] = {}
        self.collections = {key: self.graph.get_collection(key) for key in self.graph.get_all_collection_keys()}
        # (tensor, what stands for it for now, the operation that reads it): loops read what is made after them.
        self.tmp_cyclic_ts: List[Tuple[Any, Any, Any]] = []

    def new_name(self, name: str) -> str:
        """Returns the name in the destination's scope.

        Raises:
          ValueError: it is not in the source's scope.
        """
        if not name.startswith(self.scope):
            raise ValueError("{} does not belong to source scope: {}.".format(name, self.scope))
        return self.scope_ + name[len(self.scope) :]


class Transformer:
    """Makes a view of a graph from another, by handlers that may be exchanged.

    Attributes:
      transform_op_handler: (info, op, new inputs) -> (new operation, its outputs). Copies.
      transform_control_input_handler: (info, op) -> what a copy waits for in place of `op`, or None.
      assign_collections_handler: (info, old, new), for each operation and tensor.
      transform_external_input_handler: (info, tensor) -> what is read in place of an input of the view. A placeholder.
      transform_external_hidden_input_handler: the same for what is read from outside and is no input of the view.
      transform_original_op_handler: (info, op) -> what a copy is the gradient of, or None.
    """

    def __init__(self) -> None:
        self.transform_op_handler: Callable[..., Any] = copy_op_handler
        self.transform_control_input_handler: Callable[..., Any] = transform_op_if_inside_handler
        self.assign_collections_handler: Callable[..., Any] = assign_renamed_collections_handler
        self.transform_external_input_handler: Callable[..., Any] = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler: Callable[..., Any] = keep_t_if_possible_handler
        self.transform_original_op_handler: Callable[..., Any] = transform_op_if_inside_handler

    def __call__(
        self, sgv: Any, dst_graph: Any, dst_scope: str, src_scope: str = "", reuse_dst_scope: bool = False
    ) -> Tuple[subgraph.SubGraphView, TransformerInfo]:
        """Returns (the new view, what became what).

        Args:
          sgv: the view that is copied, or what `make_view` makes one of.
          dst_graph, dst_scope: where the copy goes; without `reuse_dst_scope` a scope that exists gets a number.
          src_scope: what is taken from the front of names.

        Raises:
          TypeError: `dst_graph` is no graph.
          ValueError: a handler returned the operation itself, or a name is not in `src_scope`.
        """
        sgv = subgraph.make_view(sgv)
        if not graph_editing.is_graph(dst_graph):
            raise TypeError("Expected a tf.Graph, got: {}".format(type(dst_graph)))
        dst_scope = util.scope_finalize(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = util.scope_finalize(graph_editing.unused_name(dst_graph, dst_scope[:-1]))
        info = _Work(sgv, dst_graph, dst_scope, util.scope_finalize(src_scope))
        for op in sorted(sgv.ops, key=graph_editing.place_in_graph):
            self._make(info, op)
        for tensor, stand_in, reader in info.tmp_cyclic_ts:
            made = info.transformed_ops[reader]
            index = [each is stand_in for each in made.inputs].index(True)
            graph_editing.let_read(made, index, info.transformed_ts[tensor])
        for op in sgv.ops:
            self._connect(info, op)
        return _view_of(info, sgv), TransformerInfo(info)

    def _make(self, info: _Work, op: Any) -> None:
        inputs = [self._input(info, tensor, op) for tensor in op.inputs]
        made, outputs = self.transform_op_handler(info, op, inputs)
        if made is op:
            raise ValueError("In-place transformation not allowed.")
        info.transformed_ops[op] = made
        self.assign_collections_handler(info, op, made)
        for tensor, copied in zip(op.outputs, outputs):
            info.transformed_ts[tensor] = copied
            self.assign_collections_handler(info, tensor, copied)

    def _connect(self, info: _Work, op: Any) -> None:
        made = info.transformed_ops[op]
        if graph_editing.original(op):
            found = self.transform_original_op_handler(info, graph_editing.original(op))
            if found is not None:
                graph_editing.set_original(made, found)
        awaited = [self.transform_control_input_handler(info, each) for each in op.control_inputs]
        reroute.add_control_inputs(made, [each for each in awaited if each is not None])

    def _input(self, info: _Work, tensor: Any, reader: Any) -> Any:
        """Returns what the copy of `reader` reads in place of `tensor`."""
        if tensor in info.transformed_ts:
            return info.transformed_ts[tensor]
        if tensor in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, tensor)
        if tensor.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, tensor)
        # Of a loop, and made after its reader: something of the same kind stands in until it is there.
        if reader.type == "Merge":
            stand_in = self._input(info, reader.inputs[0], reader)
        elif tensor.op.type == "Enter":
            stand_in = self._input(info, tensor.op.inputs[0], reader)
        else:
            with info.graph_.as_default():
                stand_in = util.make_placeholder_from_tensor(tensor, scope=info.scope_, prefix="geph_tmp")
        info.tmp_cyclic_ts.append((tensor, stand_in, reader))
        return stand_in


def _view_of(info: _Work, sgv: subgraph.SubGraphView) -> subgraph.SubGraphView:
    """Returns the view of the copies, inputs and outputs in the order of `sgv`."""
    made = subgraph.SubGraphView(list(info.transformed_ops.values()))

    def kept(tensors: Any, found: Any) -> List[int]:
        copies = [info.transformed_ts[each] for each in tensors if each in info.transformed_ts]
        return [list(found).index(each) for each in copies if each in list(found)]

    return made.remap(kept(sgv.inputs, made.inputs), kept(sgv.outputs, made.outputs))


def _destination(sgv: subgraph.SubGraphView, graph: Any) -> Any:
    graph = sgv.graph if graph is None else graph
    if not graph_editing.is_graph(graph):
        raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
    return graph


def copy(
    sgv: Any, dst_graph: Any = None, dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False
) -> Tuple[subgraph.SubGraphView, TransformerInfo]:
    """Copies a view, with placeholders for its inputs; see `Transformer.__call__`."""
    sgv = subgraph.make_view(sgv)
    graph = _destination(sgv, dst_graph)
    return Transformer()(sgv, graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: Dict[Any, Any],
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Tuple[subgraph.SubGraphView, TransformerInfo]:
    """Copies a view, with other tensors for some of its inputs (input -> tensor); see `Transformer.__call__`."""
    sgv = subgraph.make_view(sgv)
    graph = _destination(sgv, dst_graph)

    def replaced(info: Any, tensor: Any) -> Any:
        return replacement_ts[tensor] if tensor in replacement_ts else keep_t_if_possible_handler(info, tensor)

    copier = Transformer()
    copier.transform_external_input_handler = replaced
    return copier(sgv, graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def graph_replace(
    target_ts: Any,
    replacement_ts: Dict[Any, Any],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Returns the tensors `target_ts` as they would be with others in place of some that they depend on.

    Args:
      target_ts: a tensor, or nested lists of tensors.
      replacement_ts: tensor -> the one in its place.

    Raises:
      ValueError: no target depends on what is replaced.
    """
    targets = util.flatten_tree(target_ts)
    controls = util.ControlOutputs(util.get_unique_graph(targets, check_types=tf.Tensor))
    ops = select.get_walks_intersection_ops(list(replacement_ts), targets, control_ios=controls)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    # Half of a loop is none.
    for enters, exits in graph_editing.loops_around(ops):
        util.concatenate_unique(ops, select.get_walks_intersection_ops(enters, exits, control_ios=controls))
    _, info = copy_with_input_replacements(ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, lambda tensor: tensor)
