"""Transformer, copy and graph_replace of the graph editor: copies of a view, with other inputs if wanted."""
from typing import Any, Callable, Dict, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.graph_editor import reroute, select, subgraph, util
from legacy_towers.compat.tf1.contrib.graph_editor.handlers import (
    assign_renamed_collections_handler,
    copy_op_handler,
    keep_t_if_possible_handler,
    replace_t_with_placeholder_handler,
    transform_op_if_inside_handler,
)
from legacy_towers.compat.tf1.contrib.private import graph_editing
from legacy_towers.compat.versions import tf

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
    """The mapping between the original and the transformed ops and tensors."""

    def __init__(self, info: Any) -> None:
        self._graph, self._scope = info.graph, info.scope
        self._graph_, self._scope_ = info.graph_, info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def transformed(self, original: Any, missing_fn: Optional[Callable[[Any], Any]] = None) -> Any:
        """Returns the copy of an op, of a tensor, or of each leaf of nested lists of them.

        Args:
          missing_fn: applied to elements without a copy; None: their result is None.
        """

        def transformed_elem(elem: Any) -> Any:
            mapping = self._mapping(elem)
            return mapping[elem] if elem in mapping else missing_fn(elem) if missing_fn is not None else None

        return util.transform_tree(original, transformed_elem)

    def original(self, transformed: Any, missing_fn: Optional[Callable[[Any], Any]] = None) -> Any:
        """Returns the original of a copy; the arguments are like those of `transformed`."""

        def original_elem(elem: Any) -> Any:
            for original, copied in self._mapping(elem).items():
                if copied is elem:
                    return original
            return missing_fn(elem) if missing_fn is not None else None

        return util.transform_tree(transformed, original_elem)

    def _mapping(self, elem: Any) -> Dict[Any, Any]:
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
        lines += ["  {} => {}".format(op.name, new_op.name) for op, new_op in self._transformed_ops.items()]
        return "\n".join(["Transform result info:"] + lines) + "\n"


class _CopyState:
    """The argument `info` of a Transformer's handlers; attributes with a trailing underscore describe the copy."""

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
        # (tensor, temporary tensor, consumer): in a while loop an op may consume a tensor that is copied after it.
        self.tmp_cyclic_ts: List[Tuple[Any, Any, Any]] = []

    def new_name(self, name: str) -> str:
        """Returns `name` with the destination scope in place of the source scope.

        Raises:
          ValueError: `name` is not in the source scope.
        """
        if not name.startswith(self.scope):
            raise ValueError("{} does not belong to source scope: {}.".format(name, self.scope))
        return self.scope_ + name[len(self.scope) :]


class Transformer:
    """Transforms a view into a new one, by handlers; the default handlers copy it.

    Attributes:
      transform_op_handler: (info, op, new inputs) -> (new op, its outputs). Copies the op by default.
      transform_control_input_handler: (info, control input) -> control input of the new op, or None.
      assign_collections_handler: (info, element, new element), called for each op and tensor.
      transform_external_input_handler: (info, tensor) -> replacement of an input of the view. A placeholder by default.
      transform_external_hidden_input_handler: the same for an outside tensor that is not one of the view's inputs.
      transform_original_op_handler: (info, op) -> the forward op whose gradient the new op computes, or None.
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
        """Transforms a view and returns (new view, TransformerInfo).

        Args:
          sgv: a view, or an argument of `make_view`.
          dst_graph: the graph of the new view.
          dst_scope: the name scope of the new view.
          src_scope: the name scope that `dst_scope` replaces in names.
          reuse_dst_scope: whether an existing `dst_scope` is used; otherwise its name is made unique.

        Raises:
          TypeError: `dst_graph` is not a graph.
          ValueError: a handler returned the original op, or a name is not in `src_scope`.
        """
        sgv = subgraph.make_view(sgv)
        if not graph_editing.is_graph(dst_graph):
            raise TypeError("Expected a tf.Graph, got: {}".format(type(dst_graph)))
        dst_scope = util.scope_finalize(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = util.scope_finalize(graph_editing.unused_name(dst_graph, dst_scope[:-1]))
        info = _CopyState(sgv, dst_graph, dst_scope, util.scope_finalize(src_scope))
        for op in sorted(sgv.ops, key=graph_editing.creation_order):
            self._copy_op(info, op)
        for tensor, temporary_ts, consumer in info.tmp_cyclic_ts:
            new_op = info.transformed_ops[consumer]
            index = [each is temporary_ts for each in new_op.inputs].index(True)
            graph_editing.update_input(new_op, index, info.transformed_ts[tensor])
        for op in sgv.ops:
            self._connect_control_inputs(info, op)
        return _make_copied_view(info, sgv), TransformerInfo(info)

    def _copy_op(self, info: _CopyState, op: Any) -> None:
        inputs = [self._transform_input(info, tensor, op) for tensor in op.inputs]
        new_op, outputs = self.transform_op_handler(info, op, inputs)
        if new_op is op:
            raise ValueError("In-place transformation not allowed.")
        info.transformed_ops[op] = new_op
        self.assign_collections_handler(info, op, new_op)
        for tensor, copied in zip(op.outputs, outputs):
            info.transformed_ts[tensor] = copied
            self.assign_collections_handler(info, tensor, copied)

    def _connect_control_inputs(self, info: _CopyState, op: Any) -> None:
        new_op = info.transformed_ops[op]
        if graph_editing.original_op(op):
            original_op = self.transform_original_op_handler(info, graph_editing.original_op(op))
            if original_op is not None:
                graph_editing.set_original_op(new_op, original_op)
        control_inputs = [self.transform_control_input_handler(info, each) for each in op.control_inputs]
        reroute.add_control_inputs(new_op, [each for each in control_inputs if each is not None])

    def _transform_input(self, info: _CopyState, tensor: Any, consumer: Any) -> Any:
        """Returns the input of the copy of `consumer` in place of `tensor`."""
        if tensor in info.transformed_ts:
            return info.transformed_ts[tensor]
        if tensor in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, tensor)
        if tensor.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, tensor)
        # In a while loop `tensor` is copied after its consumer: a temporary tensor is used until then.
        if consumer.type == "Merge":
            temporary_ts = self._transform_input(info, consumer.inputs[0], consumer)
        elif tensor.op.type == "Enter":
            temporary_ts = self._transform_input(info, tensor.op.inputs[0], consumer)
        else:
            with info.graph_.as_default():
                temporary_ts = util.make_placeholder_from_tensor(tensor, scope=info.scope_, prefix="geph_tmp")
        info.tmp_cyclic_ts.append((tensor, temporary_ts, consumer))
        return temporary_ts


def _make_copied_view(info: _CopyState, sgv: subgraph.SubGraphView) -> subgraph.SubGraphView:
    """Returns the view of the copies, with inputs and outputs in the order of `sgv`."""
    view = subgraph.SubGraphView(list(info.transformed_ops.values()))

    def indices(tensors: Any, copied_tensors: Any) -> List[int]:
        copies = [info.transformed_ts[each] for each in tensors if each in info.transformed_ts]
        return [list(copied_tensors).index(each) for each in copies if each in list(copied_tensors)]

    return view.remap(indices(sgv.inputs, view.inputs), indices(sgv.outputs, view.outputs))


def _destination_graph(sgv: subgraph.SubGraphView, graph: Any) -> Any:
    graph = sgv.graph if graph is None else graph
    if not graph_editing.is_graph(graph):
        raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
    return graph


def copy(
    sgv: Any, dst_graph: Any = None, dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False
) -> Tuple[subgraph.SubGraphView, TransformerInfo]:
    """Copies a view, with placeholders as its inputs, and returns (new view, TransformerInfo).

    The arguments are those of `Transformer.__call__`; `dst_graph` is the view's graph by default.
    """
    sgv = subgraph.make_view(sgv)
    graph = _destination_graph(sgv, dst_graph)
    return Transformer()(sgv, graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: Dict[Any, Any],
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Tuple[subgraph.SubGraphView, TransformerInfo]:
    """Copies a view with replaced inputs and returns (new view, TransformerInfo).

    Args:
      replacement_ts: input -> tensor that replaces it.
      dst_graph: as in `copy`, and the other arguments too.
    """
    sgv = subgraph.make_view(sgv)
    graph = _destination_graph(sgv, dst_graph)

    def replace_input(info: Any, tensor: Any) -> Any:
        return replacement_ts[tensor] if tensor in replacement_ts else keep_t_if_possible_handler(info, tensor)

    transformer = Transformer()
    transformer.transform_external_input_handler = replace_input
    return transformer(sgv, graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def graph_replace(
    target_ts: Any,
    replacement_ts: Dict[Any, Any],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Returns copies of the tensors `target_ts` in which tensors that they depend on are replaced.

    Args:
      target_ts: a tensor, or nested lists of tensors.
      replacement_ts: tensor -> tensor that replaces it.
      dst_scope: the name scope of the copied ops.

    Raises:
      ValueError: no target depends on a replaced tensor.
    """
    targets = util.flatten_tree(target_ts)
    controls = util.ControlOutputs(util.get_unique_graph(targets, check_types=tf.Tensor))
    ops = select.get_walks_intersection_ops(list(replacement_ts), targets, control_ios=controls)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    # A while loop is copied as a whole or not at all.
    for enters, exits in graph_editing.while_loop_boundaries(ops):
        util.concatenate_unique(ops, select.get_walks_intersection_ops(enters, exits, control_ios=controls))
    _, info = copy_with_input_replacements(ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, lambda tensor: tensor)
