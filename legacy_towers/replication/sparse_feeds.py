"""Sparse tensors that a step feeds: which operations may read them, and the rows of each tower."""
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.replication.refusal import refuse
from legacy_towers.tensor_types import Graph, Operation, Tensor

# Operations whose result has a row for each row of a sparse tensor, whose parts are its first three inputs.
_READERS = ("SparseTensorDenseMatMul", "SparseToDense")


def parts_of(tensor: Any) -> List[Tensor]:
    """Returns the three tensors of a sparse tensor."""
    return [tensor.indices, tensor.values, tensor.dense_shape]


def expanded(graph: Graph, feeds: Mapping[Any, Any]) -> Tuple[Dict[Tensor, Any], List[Any]]:
    """Returns tensor -> what is fed, with the parts of sparse tensors, and the sparse tensors.

    Args:
      graph: the graph.
      feeds: tensor, sparse tensor or name -> what is fed, None if it is unknown.
    """
    found: Dict[Tensor, Any] = {}
    sparse = []
    for key, value in feeds.items():
        if isinstance(key, tf.SparseTensor):
            found.update(zip(parts_of(key), (None,) * 3 if value is None else value))
            sparse.append(key)
        else:
            found[graph.as_graph_element(key, allow_operation=False)] = value
    return found, sparse


def check_not_indices(tensor: Tensor, needed: Set[Operation]) -> None:
    """Raises NotReplicable if a tensor that is fed by itself is the indices of a sparse tensor."""
    for reader in tensor.consumers():
        if reader in needed and reader.type.startswith("Sparse"):
            names = [each.name for each in reader.op_def.input_arg]
            for name, read in zip(names, reader.inputs):
                if read is tensor and name.endswith("indices"):
                    refuse("it feeds the indices of a sparse tensor, whose rows are not examples: feed the "
                           "tf.SparseTensor", reader)


def check_readers(tensor: Any, needed: Set[Operation]) -> None:
    """Raises NotReplicable if an operation reads a sparse tensor in a way that is not known to keep its rows."""
    for part in parts_of(tensor):
        for reader in part.consumers():
            if reader in needed and (reader.type not in _READERS or list(reader.inputs)[:3] != _inputs(reader, tensor)):
                refuse("it reads a sparse tensor that is fed, whose rows only tf.sparse_tensor_dense_matmul and "
                       "tf.sparse_tensor_to_dense are known to keep", reader)


def has_rows(operation: Operation, sparse: Dict[Tensor, Any], from_examples: Sequence[Tensor]) -> bool:
    """Returns whether the result of an operation has a row for each row of a sparse tensor.

    Args:
      operation: what reads it.
      sparse: indices -> the sparse tensor, of those that are fed.
      from_examples: the inputs that depend on examples.

    Raises:
      NotReplicable: it multiplies the sparse tensor by examples.
    """
    inputs = list(operation.inputs)
    if operation.type not in _READERS or inputs[0] not in sparse:
        return False
    if inputs[:3] != _inputs(operation, sparse[inputs[0]]):
        return False
    if inputs[3] in from_examples:
        refuse("it multiplies a sparse tensor that is fed by its examples, which then depend on each other", operation)
    return operation.type == "SparseToDense" or not operation.get_attr("adjoint_a")


def _inputs(reader: Operation, tensor: Any) -> List[Tensor]:
    indices, values, shape = parts_of(tensor)
    return [indices, values, shape] if reader.type == "SparseTensorDenseMatMul" else [indices, shape, values]


def rows_of(tensor: Any, rows: Tensor, begins: Sequence[Tensor], ends: Sequence[Tensor]) -> List[Any]:
    """Returns the rows from each of `begins` to each of `ends` of a sparse tensor, as sparse tensors.

    The step fails where it has another number of rows than the batch, `rows`: rows beyond them would be in no tower.
    """
    shape = tensor.dense_shape
    is_batch = tf.debugging.assert_equal(
        shape[0], rows, message="a sparse tensor that is fed has another number of rows than the other examples"
    )
    with tf.control_dependencies([is_batch]):
        shape = tf.identity(shape)
    return [
        tf.sparse.slice(
            tf.SparseTensor(tensor.indices, tensor.values, shape),
            tf.concat([[begin], tf.zeros_like(shape[1:])], 0), tf.concat([[end - begin], shape[1:]], 0),
        )
        for begin, end in zip(begins, ends)
    ]
