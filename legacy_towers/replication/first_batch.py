"""Runs the first batch of a step on one device and on towers.

In a session of its own, on a copy of the graph and of the variables' values: no random number is drawn from the
script's generators, and no state of it changes.
"""
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import conditions_of
from legacy_towers.compat.versions.messages import plain_message
from legacy_towers.graph.op_kinds import draws_random_numbers
from legacy_towers.graph.walk import ancestors
from legacy_towers.replication.inputs import READS
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.step import ReplicatedStep
from legacy_towers.tensor_types import Graph, Operation, Session, Tensor

# The scopes of copies.
_COPY = re.compile(r"^replicate/[a-z]+(?:_\d+)*/")


class Results(NamedTuple):
    """The values of tensors.

    Attributes:
      one_device: on one device.
      towers: on towers.
      reversed: on one device, with the examples in reverse order; None if the towers are within the bounds, or there
        are sparse examples.
    """

    one_device: List[Any]
    towers: List[Any]
    reversed: Optional[List[Any]]


def run_both(
    step: ReplicatedStep,
    values: Dict[Operation, Any],
    batch: Dict[Tensor, Any],
    pairs: Sequence[Tuple[Tensor, Tensor]],
    are_within: Callable[[List[Any], List[Any]], bool],
) -> Results:
    """Runs one batch on one device and on towers, and returns the values of `pairs`.

    Args:
      step: the replicated step.
      values: variable -> its value.
      batch: what is fed, and what was read: tensor -> value.
      pairs: (tensor of the graph, the same of the towers).
      are_within: whether the values of one device and of towers are equal within the bounds.

    Raises:
      NotReplicable: a tower fails.
    """
    graph = step.graph
    targets = [each for pair in pairs for each in pair]
    needed = ancestors(targets, list(batch), graph=graph)
    # (a random number of the graph, the same of the towers): both sides get equal ones.
    drawn = step.towers.drawn + [
        (each, each) for operation in needed if operation in step.regions.order and draws_random_numbers(operation)
        and operation not in step.towers.copied and not step.regions.loops(operation)
        and not conditions_of(operation) and operation not in step.regions.after for each in operation.outputs
    ]
    variables = [each for each in values if each in needed]
    tables = [each for each in graph.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)]
    definition = _part_of(graph, targets + [each for _, each in drawn] + list(batch) + variables + tables)
    with tf.Graph().as_default() as copy:
        # TensorFlow may run an iterator whose outputs are fed.
        given = {each.name: tf.placeholder(each.dtype.base_dtype) for each in batch if each.op.type in READS}
        tf.import_graph_def(definition, given, name="")
        assigns = [_assign(copy, each) for each in variables]
        with tf.Session(graph=copy, config=_config(step.devices)) as own:
            tables_there = [copy.get_operation_by_name(each.name) for each in tables]
            if tables_there:
                own.run(tables_there)

            def run(tensors: List[Tensor], fed: Dict[Tensor, Any], more: Dict[str, Any]) -> List[Any]:
                own.run([each for each, _ in assigns], {
                    placeholder: values[variable] for (_, placeholder), variable in zip(assigns, variables)})
                return list(own.run([given.get(each.name, each.name) for each in tensors], {
                    **{given.get(each.name, each.name): value for each, value in fed.items()}, **more}))

            try:
                found = run([whole for _, whole in pairs] + [whole for _, whole in drawn], batch, {})
            except tf.errors.OpError as error:
                return refuse("a tower fails on the first batch, as where the size of a batch is a constant: {}".format(
                    plain_message(error).split("\n")[0]), _original_of(graph, error.op))
            numbers = {output.name: value for (output, _), value in zip(drawn, found[len(pairs):])}
            tensors = [one for one, _ in pairs]
            results = Results(run(tensors, batch, numbers), found[: len(pairs)], None)
            if step.examples.sparse or are_within(results.one_device, results.towers):
                return results
            rows = len(np.asarray(batch[step.examples.tensors[0]]))
            return results._replace(reversed=run(
                tensors, {each: _reversed(value, rows) if each in step.examples.tensors else value
                          for each, value in batch.items()},
                {name: _reversed(value, rows) for name, value in numbers.items()},
            ))


def _reversed(value: Any, rows: int) -> Any:
    array = np.asarray(value)
    return array[::-1] if array.ndim and len(array) == rows else value


def _part_of(graph: Graph, targets: List[Any]) -> Any:
    """Returns the GraphDef of what `targets` need."""
    names = {each.name for each in ancestors(targets, graph=graph)}
    definition = graph.as_graph_def()
    kept = [node for node in definition.node if node.name in names]
    del definition.node[:]
    definition.node.extend(kept)
    for node in definition.node:
        if "_class" in node.attr:  # it may name an operation that is left out
            del node.attr["_class"]
    return definition


def _original_of(graph: Graph, copy: Optional[Operation]) -> Optional[Operation]:
    """Returns the operation that one of a tower was copied from; None if it is unknown."""
    names = {each.name for each in graph.get_operations()}
    name = "" if copy is None else _COPY.sub("", copy.name)
    return graph.get_operation_by_name(name) if name in names else None


def _config(devices: Sequence[str]) -> Any:
    specs = [tf.DeviceSpec.from_string(each) for each in devices]
    cpus = max([1] + [(each.device_index or 0) + 1 for each in specs if each.device_type == "CPU"])
    config = tf.ConfigProto(
        device_count={"CPU": cpus}, allow_soft_placement=True, gpu_options=tf.GPUOptions(allow_growth=True)
    )
    # It runs twice: optimizing the graph would take longer.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def values_of(session: Session, variables: List[Operation]) -> List[Any]:
    """Returns the values of variables in a session."""
    if not variables:
        return []
    graph = variables[0].graph
    reads = []
    with graph.as_default(), tf.control_dependencies(None):
        for each in variables:
            if each.type == "VarHandleOp":
                with tf.device(each.device), tf.name_scope("replicate/read/"):
                    reads.append(tf.raw_ops.ReadVariableOp(resource=each.outputs[0], dtype=each.get_attr("dtype")))
            else:
                reads.append(each.outputs[0])
    return list(tf.Session.run(session, reads))


def _assign(graph: Any, variable: Operation) -> Tuple[Any, Tensor]:
    """Returns (operation that sets a variable in the copy of a graph, what to feed to it)."""
    there = graph.get_operation_by_name(variable.name)
    with tf.device(there.device):
        if there.type == "VarHandleOp":
            given = tf.placeholder(there.get_attr("dtype"))
            return tf.raw_ops.AssignVariableOp(resource=there.outputs[0], value=given), given
        given = tf.placeholder(there.outputs[0].dtype.base_dtype)
        return tf.raw_ops.Assign(ref=there.outputs[0], value=given, validate_shape=False).op, given
