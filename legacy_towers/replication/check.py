"""Compares the gradients of towers with those of one device on one batch, before the script sees the first results.

Both run in a session of their own, on a copy of the graph and of the variables' values: no random number is drawn from
the script's generators, and no state of it changes.
"""
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import conditions_of
from legacy_towers.compat.versions.messages import plain_message
from legacy_towers.graph.op_kinds import VARIABLE_OPS, draws_random_numbers
from legacy_towers.graph.walk import ancestors
from legacy_towers.parity.bounds import GRADIENT
from legacy_towers.replication.inputs import READS
from legacy_towers.replication.losses import SUM
from legacy_towers.replication.refusal import place_of, refuse
from legacy_towers.replication.step import GLOBAL, ReplicatedStep
from legacy_towers.tensor_types import Graph, Operation, Session, Tensor
from legacy_towers.text.names import counted

_LOW_PRECISION_BOUND = 1e-2  # float16, bfloat16
# The bounds apply to at least this part of the largest of all gradients: a bias before batch norm has a gradient that
# is rounding alone.
_ROUNDING = 1e-2


# The scopes of copies.
_COPY = re.compile(r"^replicate/[a-z]+(?:_\d+)*/")


class Comparison(NamedTuple):
    """The result of a comparison.

    Attributes:
      largest: the largest difference as a part of the largest value; None if nothing was compared.
      at: the name of the tensor that has it.
      compared: how many tensors were compared.
      reason: why nothing was compared; "" if it was.
    """

    largest: Optional[float]
    at: str
    compared: int
    reason: str = ""

    def __str__(self) -> str:
        if self.reason:
            return "not compared with one device: {}".format(self.reason)
        return "compared with one device on the first batch: {}, largest difference {:.1e} of the largest value " \
            "({!r})".format(counted(self.compared, "tensor"), self.largest or 0.0, self.at)


def compare(
    step: ReplicatedStep, values: Dict[Operation, Any], feeds: Dict[Tensor, Any],
    fetched: Sequence[Tuple[Tensor, Tensor]],
) -> Comparison:
    """Runs one batch through the graph and through its towers, and compares.

    Args:
      step: the replicated step.
      values: the values of the variables before the step; see `values_before`.
      feeds: what the first step feeds, and the examples that were read for it.
      fetched: (tensor that the step fetches, what takes its place).

    Raises:
      NotReplicable: the towers fail, or compute something else.
    """
    if step.towers.own_numbers:
        return Comparison(None, "", 0, "each tower draws random numbers of its own ({})".format(
            place_of(step.towers.own_numbers[0])))
    batch = dict(feeds)
    if step.keep == GLOBAL and step.rows.statistics:
        if not _repeat_rows(step, batch):
            return Comparison(None, "", 0, "the first batch has fewer examples than towers or a sparse tensor, and the "
                                           "statistics of each tower are its own")
    pairs = _pairs(step, fetched)
    if step.keep != GLOBAL:
        for read in step.examples.reads:
            for output in read.outputs:
                for copy in step.towers.of(output):
                    batch[copy] = batch[output]
    towers, one_device = _run_both(step, values, batch, pairs)
    return _compared(step, pairs, one_device, towers)


def values_before(
    step: ReplicatedStep, session: Session, fetched: Sequence[Tuple[Tensor, Tensor]]
) -> Dict[Operation, Any]:
    """Returns variable -> its value in a session, for the variables that `compare` needs."""
    targets = [each for pair in _pairs(step, fetched) for each in pair]
    needed = ancestors(targets, step.examples.tensors, graph=step.graph)
    variables = sorted((each for each in needed if each.type in VARIABLE_OPS), key=lambda each: str(each.name))
    return dict(zip(variables, _values(session, variables)))


def _pairs(step: ReplicatedStep, fetched: Sequence[Tuple[Tensor, Tensor]]) -> List[Tuple[Tensor, Tensor]]:
    return list(step.gradients.items()) + [
        (one, other) for one, other in fetched if step.keep == GLOBAL and one not in step.gradients
        and (one.dtype.is_floating or one.dtype.is_integer)
    ]


def _repeat_rows(step: ReplicatedStep, batch: Dict[Tensor, Any]) -> bool:
    """Gives each tower the same rows, so that their statistics are those of the whole batch."""
    number = len(step.devices)
    if step.examples.sparse:
        return False
    for tensor in step.examples.tensors:
        value = np.asarray(batch[tensor])
        part = value[: len(value) // number]
        if not len(part):
            return False
        batch[tensor] = np.concatenate([part] * number)
    return True


def _run_both(
    step: ReplicatedStep, values: Dict[Operation, Any], batch: Dict[Tensor, Any], pairs: Sequence[Tuple[Tensor, Tensor]]
) -> Tuple[List[Any], List[Any]]:
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

            def run(tensors: List[Tensor], more: Dict[str, Any]) -> List[Any]:
                own.run([each for each, _ in assigns], {
                    placeholder: values[variable] for (_, placeholder), variable in zip(assigns, variables)})
                return list(own.run([given.get(each.name, each.name) for each in tensors], {
                    **{given.get(each.name, each.name): value for each, value in batch.items()}, **more}))

            try:
                found = run([whole for _, whole in pairs] + [whole for _, whole in drawn], {})
            except tf.errors.OpError as error:
                return refuse("a tower fails on the first batch, as where the size of a batch is a constant: {}".format(
                    plain_message(error).split("\n")[0]), original_of(graph, error.op))
            fed = {output.name: value for (output, _), value in zip(drawn, found[len(pairs):])}
            return found[: len(pairs)], run([one for one, _ in pairs], fed)


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


def original_of(graph: Graph, copy: Optional[Operation]) -> Optional[Operation]:
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


def _values(session: Session, variables: List[Operation]) -> List[Any]:
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


def _compared(
    step: ReplicatedStep, pairs: Sequence[Tuple[Tensor, Tensor]], one_device: List[Any], towers: List[Any]
) -> Comparison:
    factor = len(step.devices) if step.keep != GLOBAL else 1
    indices = [(one, other) for (tensor, _), one, other in zip(pairs, one_device, towers)
               if tensor in step.sparse and not tensor.dtype.is_floating]
    largest_of_all = max([_largest(one) for (tensor, _), one in zip(pairs, one_device)
                          if tensor in step.gradients and tensor.dtype.is_floating] or [0.0])
    # Gradients that batch norm makes zero, such as those of what it scales again, are rounding of all others.
    part = 1.0 if step.rows.statistics else _ROUNDING
    worst, at, compared = 0.0, "", 0
    for (tensor, _), one, other in zip(pairs, one_device, towers):
        if tensor in step.sparse and not tensor.dtype.is_floating:
            continue
        times = factor if tensor in step.gradients and step.rule(tensor).kind == SUM else 1
        candidates = [(np.asarray(one) * times, np.asarray(other))]
        if tensor in step.sparse:
            candidates = [
                (_dense(one * times, left), _dense(other, right)) for left, right in indices
                if len(left) == len(one) and len(right) == len(other)
            ]
        least = largest_of_all * part * times if tensor in step.gradients else 0.0
        difference = min([_difference(left, right, least) for left, right in candidates] or [np.inf])
        bound = _bound(step, tensor)
        if not difference <= bound:
            what = "the gradient" if tensor in step.gradients else "what it fetches"
            refuse("on the first batch {} differs from that of one device by {:.1e} of its largest value, where {:g} "
                   "is allowed: its examples depend on each other, or it counts them in a way that is not known".format(
                       what, difference, bound), tensor.op)
        compared += 1
        if difference >= worst:
            worst, at = difference, str(tensor.op.name)
    return Comparison(worst, at, compared)


def _bound(step: ReplicatedStep, tensor: Tensor) -> float:
    """Returns the bound of the least precise type that a tensor is computed in."""
    if not tensor.dtype.is_floating:
        return 0.0
    types = {
        each.dtype.base_dtype.name for operation in ancestors([tensor], graph=step.graph, by_control=False)
        if operation in step.regions.dependent for each in operation.outputs if each.dtype.is_floating
    } | {tensor.dtype.base_dtype.name}
    return max(GRADIENT.get(each, _LOW_PRECISION_BOUND) for each in types)


def _largest(value: Any) -> float:
    array = np.abs(np.asarray(value, np.float64))
    return float(np.nanmax(array)) if array.size and not np.isnan(array).all() else 0.0


def _difference(one: Any, other: Any, least: float) -> float:
    if np.shape(one) != np.shape(other):
        return float("inf")
    if not np.size(one):
        return 0.0
    left, right = np.asarray(one, np.float64), np.asarray(other, np.float64)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    if same.all():
        return 0.0
    largest = max(_largest(left), least)
    difference = np.abs(np.where(same, 0.0, left - right)).max()
    return float(difference / largest) if largest else float("inf")


def _dense(values: Any, indices: Any) -> Any:
    """Returns the sums of the rows of a sparse gradient by their indices, sorted."""
    unique, places = np.unique(indices, return_inverse=True)
    sums = np.zeros((len(unique),) + np.shape(values)[1:], np.float64)
    np.add.at(sums, places.reshape(-1), np.asarray(values, np.float64))
    return np.concatenate([sums.reshape(len(unique), -1), unique[:, None].astype(np.float64)], 1)
