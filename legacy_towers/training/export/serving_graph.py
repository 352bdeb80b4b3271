"""The part of a model's graph that serves: what the outputs need, without towers and devices."""
import re
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions.node_defs import remove_annotations
from legacy_towers.errors import JobError
from legacy_towers.graph import walk
from legacy_towers.graph.op_kinds import INPUT_OPS, PLACEHOLDER_OPS, PYTHON_FUNCTION_OPS, VARIABLE_OPS
from legacy_towers.tensor_types import Graph, Operation, Tensor
from legacy_towers.text.names import quoted, tower_scope

_TOWER = tower_scope(0) + "/"
# Ops that write the variable that is their first input.
_WRITES = re.compile(r"(Resource)?(Assign|Scatter|(Sparse)?Apply)")
# The initializer of every variable: values come from the checkpoint, so that what drew the first ones stays out.
_NO_INITIALIZER = "no_initializer"


class Served(NamedTuple):
    """What the outputs of a model need.

    Attributes:
      operations: all operations, those that initialize tables and local variables included.
      variables: the global variables, whose values a checkpoint has.
      local_variables, table_initializers, assets: those entries of the graph's collections.
    """

    operations: Set[Operation]
    variables: List[Any]
    local_variables: List[Any]
    table_initializers: List[Operation]
    assets: List[Tensor]


def find_served(graph: Graph, placeholders: Iterable[Tensor], outputs: Iterable[Tensor]) -> Served:
    """Finds what the outputs of a model need, and checks that it can be served.

    Args:
      graph: the graph of one tower.
      placeholders: the components of the inputs.
      outputs: the components of the outputs.

    Raises:
      JobError: the outputs need an op that calls Python or reads an input pipeline, a placeholder that is not an input,
        or an op that writes a variable; or they need no variable at all. The message names the op.
    """
    operations = walk.ancestors(list(outputs), graph=graph)
    _check_servable(operations, {each.op for each in placeholders}, graph)
    tables: List[Operation] = []
    local: List[Any] = []
    found = True
    while found:  # what initializes a table or a local variable may need others
        found = False
        for initializer in graph.get_collection(tf.GraphKeys.TABLE_INITIALIZERS):
            if initializer not in tables and any(each.op in operations for each in initializer.inputs):
                tables.append(initializer)
                found = True
                operations |= walk.ancestors([initializer], graph=graph)
        for variable in graph.get_collection(tf.GraphKeys.LOCAL_VARIABLES):
            if variable.op in operations and not any(variable is each for each in local):
                local.append(variable)
                found = True
                operations |= walk.ancestors([variable.initializer], graph=graph)
    _check_calls(operations, graph)
    variables = [each for each in graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) if each.op in operations]
    unknown = {each for each in operations if each.type in VARIABLE_OPS} - {each.op for each in variables + local}
    if unknown:
        raise JobError(
            "the predictions need the variable {}, which is in none of the collections GLOBAL_VARIABLES and "
            "LOCAL_VARIABLES: its value is not known".format(quoted(sorted(map(_name, unknown))))
        )
    if not variables:
        raise JobError("the predictions need no variable: there is nothing of a checkpoint to export")
    assets = [each for each in graph.get_collection(tf.GraphKeys.ASSET_FILEPATHS) if each.op in operations]
    return Served(operations, variables, local, tables, assets)


def serving_meta_graph(graph: Graph, served: Served, saver: Any, rename: Callable[[str], str]) -> Any:
    """Returns a MetaGraphDef of what is served, for `tf.train.import_meta_graph`.

    Args:
      saver: the tf.train.Saver of the variables; it is part of the result.
      rename: a function from the names of ops and tensors to new ones, such as `renaming` returns.
    """
    parts = [saver.saver_def.filename_tensor_name, saver.saver_def.save_tensor_name, saver.saver_def.restore_op_name]
    kept = walk.ancestors(list(served.operations) + parts, graph=graph)
    protos = {"variables": served.variables, "local_variables": served.local_variables}
    for variable in served.variables + served.local_variables:
        kept |= walk.ancestors([variable.to_proto().snapshot_name], graph=graph)
    meta = tf.train.export_meta_graph(graph=graph, collection_list=[], clear_devices=True)
    names = {each.name for each in kept}
    nodes = [node for node in meta.graph_def.node if node.name in names]
    functions = _functions_of(nodes, meta.graph_def.library)
    del meta.graph_def.node[:]
    for node in nodes:
        _rename_node(node, rename)
        meta.graph_def.node.extend([node])
    meta.graph_def.node.add(name=_NO_INITIALIZER, op="NoOp")
    meta.graph_def.library.Clear()
    meta.graph_def.library.function.extend(functions)
    for collection, variables in protos.items():
        for variable in variables:
            proto = variable.to_proto()
            proto.initial_value_name = ""
            proto.variable_name = rename(proto.variable_name)
            proto.snapshot_name = rename(proto.snapshot_name)
            proto.initializer_name = (
                _NO_INITIALIZER if collection == "variables" else rename(proto.initializer_name)
            )
            meta.collection_def[collection].bytes_list.value.append(proto.SerializeToString())
    for collection, elements in (
        (tf.GraphKeys.TABLE_INITIALIZERS, served.table_initializers), (tf.GraphKeys.ASSET_FILEPATHS, served.assets)
    ):
        if elements:
            meta.collection_def[collection].node_list.value.extend(rename(each.name) for each in elements)
    meta.saver_def.CopyFrom(saver.as_saver_def())
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(meta.saver_def, field, rename(getattr(meta.saver_def, field)))
    return meta


def renaming(graph: Graph, input_names: Dict[str, str]) -> Callable[[str], str]:
    """Returns a function from the names of ops and tensors to their names without the scope of the tower.

        tower_0/dense/MatMul:0   ->   model/dense/MatMul:0        ^tower_0/Pad   ->   ^model/Pad

    Args:
      input_names: node name of a placeholder -> name of its input, which becomes its name.
    """
    taken = {each.name for each in graph.get_operations()} | {_NO_INITIALIZER}
    scopes = {name.split("/")[0] for name in taken}
    scope = _free("model", scopes)
    renamed: Dict[str, str] = {}
    for node, wanted in input_names.items():
        name = re.sub(r"^[^A-Za-z0-9.]", "_", re.sub(r"[^A-Za-z0-9_.\-/]", "_", wanted))
        renamed[node] = _free(name if name[0] != "_" else "input" + name, taken | scopes | {scope})
        taken.add(renamed[node])

    def rename(name: str) -> str:
        control, node, port = re.match(r"(\^?)([^:]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
        if node not in renamed and node.startswith(_TOWER):
            return "{}{}/{}{}".format(control, scope, node[len(_TOWER):], port)
        return control + renamed.get(node, node) + port

    return rename


def _free(name: str, taken: Set[str]) -> str:
    number, free = 0, name
    while free in taken:
        number += 1
        free = "{}_{}".format(name, number)
    return free


def _rename_node(node: Any, rename: Callable[[str], str]) -> None:
    node.name = rename(node.name)
    inputs = [rename(each) for each in node.input]
    del node.input[:]
    node.input.extend(inputs)
    remove_annotations(node)
    node.attr.pop("_class", None)  # "next to op x": of no use without devices, and x may not be served


def _functions_of(nodes: Iterable[Any], library: Any) -> List[Any]:
    """Returns the functions of a library that nodes call, in a stable order."""
    by_name = {function.signature.name: function for function in library.function}
    waiting, called = list(nodes), set()  # type: ignore[var-annotated]
    while waiting:
        node = waiting.pop()
        names = {node.op} | {attr.func.name for attr in node.attr.values()}
        names |= {each.name for attr in node.attr.values() for each in attr.list.func}
        for name in names & set(by_name) - called:
            called.add(name)
            waiting.extend(by_name[name].node_def)
    return [function for function in library.function if function.signature.name in called]


def _check_servable(operations: Set[Operation], inputs: Set[Operation], graph: Graph) -> None:
    variables = {each.op: each for each in graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)}
    for operation in sorted(operations, key=lambda each: str(each.name)):
        if operation.type in PLACEHOLDER_OPS and operation.type != "PlaceholderWithDefault" and operation not in inputs:
            raise JobError(
                "the predictions need the placeholder {!r}, which is not a component of the batch: a server does not "
                "feed it; make it a part of the batch, or a constant in mode 'predict'".format(_name(operation))
            )
        if _WRITES.match(operation.type) and operation.inputs and operation.inputs[0].op in variables:
            raise JobError(
                "the predictions run {!r} ({}), which writes the variable {!r}: a served model must not train; leave "
                "it out in mode 'predict'".format(
                    _name(operation), operation.type, variables[operation.inputs[0].op].op.name
                )
            )


def _check_calls(operations: Set[Operation], graph: Graph) -> None:
    for operation in sorted(operations, key=lambda each: str(each.name)):
        _check_type(_name(operation), operation.type)
    names = {each.name for each in operations}
    graph_def = graph.as_graph_def()
    for function in _functions_of([node for node in graph_def.node if node.name in names], graph_def.library):
        for node in function.node_def:
            _check_type("{}/{}".format(function.signature.name, node.name), node.op)


def _check_type(name: str, kind: str) -> None:
    reason: Optional[str] = None
    if kind in PYTHON_FUNCTION_OPS:
        reason = "calls Python, which a server does not have: compute it by TensorFlow's ops"
    elif kind in INPUT_OPS:
        reason = "reads an input pipeline, which is not exported: take what it reads from the batch"
    if reason is not None:
        raise JobError("the predictions need the op {!r} ({}), which {} in mode 'predict'".format(name, kind, reason))


def _name(operation: Operation) -> str:
    """Returns the name of an operation as the model function gave it."""
    name = str(operation.name)
    return name[len(_TOWER):] if name.startswith(_TOWER) else name
