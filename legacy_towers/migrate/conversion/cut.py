"""Cuts operations out of a graph, as a function that builds them again on other inputs."""
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph import op_kinds
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation, Tensor

# A node of the copy that stands for a tensor from outside it.
_INPUT = "cut_input_{}"
# Constants of more bytes are not copied into the functions of datasets: TensorFlow keeps several copies of a function.
_LARGE = 10 * 2**20
_BYTES_OF_A_STRING = 32
_SWITCHES = frozenset(["Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "NextIteration"])


class Cut(NamedTuple):
    """The operations between some tensors and what they are computed from.

        source:0 --> [ decode --> crop --> ] --> target:0
        table:0  --> [       lookup -^     ]

    Attributes:
      targets: what is computed.
      operations: what computes it, without the sources.
      sources: operations that give one element per run: the values that differ from run to run.
      outside: tensors that stay in the graph -> what the copy reads in their place: resources, such as tables and
        resource variables, which it reads themselves; values of variables that are never assigned again: their initial
        values, or, where these are fed, the variables, which it reads once, when the iterator starts; large constants.
    """

    targets: Sequence[Tensor]
    operations: Tuple[Operation, ...]
    sources: Tuple[Operation, ...]
    outside: Dict[Tensor, Tensor]

    @property
    def has_control_flow(self) -> bool:
        """Whether it has a `tf.cond` or `tf.while_loop` of TensorFlow 1, which only old functions can have."""
        return any(each.type in _SWITCHES for each in self.operations)

    @property
    def unseeded(self) -> List[Operation]:
        """The operations that draw random numbers without a seed of their own."""
        return [
            each for each in self.operations
            if op_kinds.draws_random_numbers(each) and not op_kinds.has_op_seed(each)
        ]

    @property
    def reads_variables(self) -> bool:
        """Whether it reads a variable when the iterator starts, which must be initialized by then."""
        return any(
            read is outer and read.dtype != tf.resource and read.op.type != "Const"
            for outer, read in self.outside.items()
        )

    @property
    def has_large_constants(self) -> bool:
        """Whether it reads large constants, of which an iterator that starts by itself would hold a copy."""
        return any(_is_large(read.op) for read in self.outside.values())


def cut(targets: Sequence[Tensor], is_source: Any, controls: Iterable[Operation] = ()) -> Cut:
    """Finds the operations that compute some tensors.

    Args:
      targets: the tensors.
      is_source: a function that takes an operation, and returns whether it is a source: what computes its inputs is not
        part of the cut.
      controls: further operations that run with the targets.

    Returns:
      A `Cut`.
    """
    waiting: List[Operation] = list(dict.fromkeys([each.op for each in targets] + list(controls)))
    seen: Set[Operation] = set(waiting)
    operations: List[Operation] = []
    sources: List[Operation] = []
    outside: Dict[Tensor, Tensor] = {}
    while waiting:
        operation = waiting.pop()
        if is_source(operation):
            sources.append(operation)
            continue
        if _is_resource(operation) or _is_large(operation):
            outside[operation.outputs[0]] = operation.outputs[0]
            continue
        constant = _constant_value(operation)
        if constant is not None:
            outside[operation.outputs[0]] = constant
            continue
        operations.append(operation)
        for before in [each.op for each in operation.inputs] + list(operation.control_inputs):
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return Cut(tuple(targets), tuple(operations), tuple(sources), outside)


def build(part: Cut, from_sources: Dict[Tensor, Tensor], seeds: Dict[str, Tuple[int, int]]) -> List[Tensor]:
    """Builds the operations of a cut again, in the current graph.

    Args:
      part: the cut.
      from_sources: output of a source -> what takes its place.
      seeds: name of a random operation -> the two seeds that its copy gets in place of its own.

    Returns:
      The copies of the targets, with the static shapes of the targets.
    """
    inputs = dict(from_sources)
    # In a function, the copy of the handle is what the function captures.
    inputs.update((each, tf.identity(captured)) for each, captured in part.outside.items())
    names = {tensor.name: _INPUT.format(number) for number, tensor in enumerate(inputs)}
    copies = tf.GraphDef()
    graph = part.targets[0].graph if part.targets else tf.get_default_graph()
    copies.versions.CopyFrom(graph.graph_def_versions)
    _copy_functions(graph, part, copies)
    for tensor, name in zip(inputs, names.values()):
        node = copies.node.add(name=name, op="Placeholder")
        node.attr["dtype"].type = tensor.dtype.base_dtype.as_datatype_enum
    inside = {operation.name for operation in part.operations}
    for operation in part.operations:
        _copy_node(copies.node.add(), operation, inside, names, seeds.get(operation.name))
    copied = [each.name for each in part.targets if each not in inputs]
    made = iter(tf.import_graph_def(
        copies,
        input_map={name + ":0": inputs[tensor] for tensor, name in zip(inputs, names.values())},
        return_elements=copied,
        name="",
    ))
    results = []
    for target in part.targets:
        copy = inputs[target] if target in inputs else next(made)
        copy.set_shape(target.shape)
        results.append(copy)
    return results


def _copy_node(node: Any, operation: Operation, inside: Set[str], names: Dict[str, str], seeds: Any) -> None:
    node.CopyFrom(operation.node_def)
    node.device = ""
    for name in [each for each in node.attr if each.startswith("_")]:
        del node.attr[name]
    del node.input[:]
    node.input.extend(
        names[tensor.name] if tensor.name in names else tensor.name for tensor in operation.inputs
    )
    node.input.extend("^" + each.name for each in operation.control_inputs if each.name in inside)
    if "shared_name" in node.attr and not node.attr["shared_name"].s:
        # By default it is the name of the node, which is another one in a function.
        node.attr["shared_name"].s = tf.compat.as_bytes(operation.name)
    if seeds is not None:
        node.attr["seed"].i, node.attr["seed2"].i = seeds


def _copy_functions(graph: Any, part: Cut, copies: Any) -> None:
    if any(each.func.name or each.list.func for operation in part.operations
           for each in operation.node_def.attr.values()):
        copies.library.CopyFrom(graph.as_graph_def().library)


def _constant_value(operation: Operation) -> Optional[Tensor]:
    """Returns the initial value of the variable that an operation reads, if it is never assigned another value.

    As of `tf.train.match_filenames_once`. If that value is fed to the initializer, the result is the variable's value.
    """
    variable = operation.inputs[0].op if operation.type == "Identity" else None
    if variable is None or variable.type not in ("VariableV2", "Variable"):
        return None
    users = variable.outputs[0].consumers()
    values = [each.inputs[1] for each in users if each.type == "Assign"]
    if len(values) != 1 or any(each.type not in ("Assign", "Identity", "IsVariableInitialized") for each in users):
        return None
    before = ancestors(values, graph=operation.graph)
    if any(each.op_def.is_stateful for each in before):  # it would have another value
        return None
    return operation.outputs[0] if any(each.type in op_kinds.PLACEHOLDER_OPS for each in before) else values[0]


def _is_large(operation: Operation) -> bool:
    """Returns whether an operation is a constant of more than 10 MiB."""
    if operation.type != "Const":
        return False
    value = operation.outputs[0]
    size = _BYTES_OF_A_STRING if value.dtype == tf.string else value.dtype.size
    return (value.shape.num_elements() or 0) * size > _LARGE


def _is_resource(operation: Operation) -> bool:
    return bool(operation.outputs) and operation.outputs[0].dtype == tf.resource and not operation.inputs


