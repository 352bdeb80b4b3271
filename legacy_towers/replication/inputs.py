"""The tensors that hold a step's examples: what is fed, dequeued, or read from an iterator."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import (
    FILE_INPUT_OPS,
    ITERATOR_INPUT_OPS,
    QUEUE_INPUT_OPS,
    READER_INPUT_OPS,
    STAGING_INPUT_OPS,
)
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.sparse_feeds import check_not_indices, check_readers, parts_of
from legacy_towers.tensor_types import Operation, Tensor

READS = QUEUE_INPUT_OPS | ITERATOR_INPUT_OPS | READER_INPUT_OPS | STAGING_INPUT_OPS | FILE_INPUT_OPS


class Examples(NamedTuple):
    """What holds the examples of a step.

    Attributes:
      fed: the tensors that are fed and split along dimension 0.
      reads: the operations that read from a queue or an iterator.
      size: the number of examples if it is fixed when the graph is built; None if each step may have another one.
      sparse: the sparse tensors that are fed and split along dimension 0.
      whole: the tensors that are fed to each tower as they are: keep_prob, a learning rate, a table.
    """

    fed: List[Tensor]
    reads: List[Operation]
    size: Optional[int]
    sparse: Sequence[Any] = ()
    whole: Sequence[Tensor] = ()

    @property
    def tensors(self) -> List[Tensor]:
        """All tensors that hold a row per example."""
        return self.fed + [each for read in self.reads for each in read.outputs]


def find_examples(
    needed: Set[Operation], feeds: Dict[Tensor, Any], split: bool, sparse: Sequence[Any] = ()
) -> Examples:
    """Returns what holds the examples of a training step.

    Args:
      needed: the operations that the gradients need.
      feeds: what the first step feeds: tensor -> value. The values may be None, if only the shapes of the tensors are
        known.
      split: whether each batch is split; otherwise each tower reads a batch of its own.
      sparse: the sparse tensors among them, whose parts are in `feeds`.

    Raises:
      NotReplicable: the examples can't be split.
    """
    sparse = [each for each in sparse if any(part.op in needed for part in parts_of(each))]
    parts = {part for each in sparse for part in parts_of(each)}
    fed = _fed_batches(needed, {tensor: value for tensor, value in feeds.items() if tensor not in parts})
    for each in sparse:
        check_readers(each, needed)
    fed_operations = {each.op for each in feeds}
    reads = sorted((each for each in needed if each.type in READS and each not in fed_operations),
                   key=lambda each: str(each.name))
    if sparse and not fed and not reads:
        refuse("all that it feeds is sparse, so that the number of its examples is unknown", sparse[0].values.op)
    if not fed and not reads:
        refuse("its gradients read no examples: nothing is fed, dequeued or read from an iterator that has a batch")
    if (fed or sparse) and not split:
        refuse("it feeds its examples, so that there is no second batch for another tower: --keep global splits the "
               "batch that the script feeds", fed[0].op if fed else sparse[0].values.op)
    _check_components(reads, split)
    sizes = {_rows(each) for each in fed + [out for read in reads for out in read.outputs]}
    known = sorted(each for each in sizes if each is not None)
    if len(known) > 1 and split:
        refuse("its inputs have batches of different sizes: {}".format(" and ".join(map(str, known))),
               (reads or [fed[0].op])[0])
    if sparse and known:
        refuse("it feeds a sparse tensor beside a batch of a fixed size ({})".format(known[0]), sparse[0].values.op)
    whole = [each for each in feeds if each.op in needed and each not in parts and each not in fed]
    return Examples(fed, reads, known[0] if split and known else None, sparse, whole)


def _rows(tensor: Tensor) -> Optional[int]:
    return None if tensor.shape.ndims is None else tf.dimension_value(tensor.shape[0])


def _fed_batches(needed: Set[Operation], feeds: Dict[Tensor, Any]) -> List[Tensor]:
    fed = sorted((each for each in feeds if each.op in needed), key=lambda each: str(each.name))
    rows: Dict[Tensor, Optional[int]] = {}
    for tensor in fed:
        value = feeds[tensor]
        check_not_indices(tensor, needed)
        ndims = tensor.shape.ndims if value is None else np.ndim(value)
        if ndims is None:
            refuse("the shape of what is fed is unknown, so that a batch can't be told from a scalar", tensor.op)
        if ndims > 0 and not _is_read_by_place(tensor, needed):
            rows[tensor] = _rows(tensor) if value is None else np.shape(value)[0]
    # Beside those of any size, those of a fixed size are no batch: class weights, a table.
    batches = [each for each in rows if _rows(each) is None] or list(rows)
    for other in batches[1:]:
        if rows[other] != rows[batches[0]]:
            refuse("it feeds {!r} with {} rows and {!r} with {}: which of them are examples?".format(
                batches[0].name, rows[batches[0]], other.name, rows[other]), other.op)
    return batches


def _is_read_by_place(tensor: Tensor, needed: Set[Operation]) -> bool:
    """Returns whether all that is read of a tensor are rows at given places: keep[0], tf.gather(table, ids).

    Each tower needs the whole of it: among the rows of a tower, another one would be at that place.
    """
    readers = [each for each in tensor.consumers() if each in needed]
    return bool(readers) and all(_reads_place(each, tensor) for each in readers)


def _reads_place(operation: Operation, tensor: Tensor) -> bool:
    if operation.inputs[0] is not tensor:
        return False
    if operation.type == "StridedSlice":
        first = [operation.get_attr(name) & 1 for name in ("shrink_axis_mask", "ellipsis_mask", "new_axis_mask")]
        return first == [1, 0, 0]
    if operation.type == "GatherV2":
        axis = tf.get_static_value(operation.inputs[2])
        return axis is not None and int(axis) == 0
    return bool(operation.type == "Gather")


def _check_components(reads: Sequence[Operation], split: bool) -> None:
    for read in reads:
        for output in read.outputs:
            if split and output.dtype.base_dtype in (tf.variant, tf.resource):
                refuse("it reads a sparse or variant component, which can't be split into rows", read)
            if output.shape.ndims == 0:
                refuse("it reads the scalar {!r} and not only batches: batch single examples, and rewrite buckets with "
                       "legacy-towers migrate".format(output.name), read)
