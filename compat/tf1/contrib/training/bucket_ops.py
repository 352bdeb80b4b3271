"""bucket and bucket_by_sequence_length: batches of similar examples, through queues.

    example -> queue of its bucket -> batch of that bucket -> top queue -> batch
"""
import functools
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat.versions import tf

__all__ = ["bucket", "bucket_by_sequence_length"]

_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


class _SparseInfo(NamedTuple):
    """The dtype and rank of a serialized sparse tensor."""

    dtype: Any
    rank: Any


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Optional[Sequence[int]] = None,
    shapes: Optional[Sequence[Any]] = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Tuple[Any, Any]:
    """Batches examples of the same bucket.

    Args:
      tensors: a list or dict with the tensors of one example.
      which_bucket: int32 scalar, the bucket of the example.
      batch_size: the batch size, or a list with that of each bucket.
      num_buckets: the number of buckets.
      num_threads: threads that enqueue examples.
      capacity: capacity of the top queue, in batches, and of each bucket's queue, in examples.
      bucket_capacities: a list with the capacity of each bucket's queue.
      shapes: the tensors' shapes; None: their static shapes.
      dynamic_pad: whether unknown dimensions are padded with zeros to the largest in the batch.
      allow_smaller_final_batch: whether the remaining examples are batched when the input ends.
      keep_input: bool or bool scalar; False drops the example.
      shared_name: name under which sessions share the queues.
      name: name scope of the ops.

    Returns:
      (bucket, batch): an int32 scalar, and the tensors with a batch dimension in the structure of `tensors`. The batch
      of a list of one tensor is a tensor.

    Raises:
      ValueError: shapes are unknown and `dynamic_pad` is false, or a list does not have one element for each bucket.
    """
    sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError("If batch_size is a list it must have num_buckets elements")
    capacities = [capacity] * num_buckets if bucket_capacities is None else list(bucket_capacities)
    if len(capacities) != num_buckets:
        raise ValueError(
            "The list bucket_capacities ({}) must have exactly num_buckets ({}) elements.".format(
                bucket_capacities, num_buckets
            )
        )
    tensor_list = _as_list(tensors)
    if not tensor_list:
        raise ValueError("Expected at least one tensor in bucket().")
    with tf.name_scope(name, "bucket", tensor_list + [which_bucket]):
        dense, sparse = _serialize_sparse(tensor_list)
        static_sizes = [_static_size(size) for size in sizes]
        queues = _create_bucket_queues(dense, shapes, capacities, dynamic_pad, shared_name)
        one_size = None if allow_smaller_final_batch or isinstance(batch_size, (list, tuple)) else static_sizes[0]
        top = tf.PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[tf.int32] + [tensor.dtype.base_dtype for tensor in dense],
            shapes=[tf.TensorShape([])] + [tf.TensorShape([one_size]).concatenate(each) for each in queues[0].shapes],
            shared_name=shared_name,
            name="top_queue",
        )
        enqueue = _enqueue_example(queues, dense, tf.convert_to_tensor(which_bucket, tf.int32), keep_input)
        top_enqueue_ops = _enqueue_batches(queues, top, static_sizes, allow_smaller_final_batch)
        _add_runners(queues, top, enqueue, top_enqueue_ops, num_threads)
        for queue in queues:
            tf.summary.scalar("bucket/{}/size".format(queue.name), tf.cast(top.size(), tf.float32))
        tf.summary.scalar(
            "bucket/{}/fraction_of_{}_full".format(top.name, capacity), tf.cast(top.size(), tf.float32) / capacity
        )
        bucket_and_batch = top.dequeue(name="dequeue_top")
        batch = [
            each if info is None else tf.deserialize_many_sparse(each, dtype=info.dtype, rank=info.rank)
            for each, info in zip(bucket_and_batch[1:], sparse)
        ]
        return bucket_and_batch[0], _restore_structure(tensors, batch)


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Optional[Sequence[int]] = None,
    shapes: Optional[List[Any]] = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Tuple[Any, Any]:
    """Batches sequences of similar length; the other arguments are those of `bucket`.

    Args:
      input_length: int32 scalar, the length of the sequence.
      bucket_boundaries: increasing ints b_0, b_1, ...; the buckets are [0, b_0), [b_0, b_1), ..., [b_last, infinity).

    Returns:
      (lengths, batch): int32 [batch], and the tensors with a batch dimension in the structure of `tensors`.

    Raises:
      TypeError: the boundaries are not ints.
      ValueError: there are no boundaries, or they do not increase.
    """
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError("bucket_boundaries must be a list or tuple, but received: {}".format(bucket_boundaries))
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for boundary, next_boundary in zip(bucket_boundaries[:-1], bucket_boundaries[1:]):
        if not isinstance(boundary, int) or not isinstance(next_boundary, int):
            raise TypeError("bucket boundaries must be integers, but saw: {} and {}".format(boundary, next_boundary))
        if boundary >= next_boundary:
            raise ValueError(
                "Buckets must contain sequential increasing lengths, but saw: {} before {}".format(
                    boundary, next_boundary
                )
            )
    tensor_list = _as_list(tensors)
    with tf.name_scope(name, "bucket_by_sequence_length", tensor_list + [input_length]):
        length = tf.convert_to_tensor(input_length, dtype=tf.int32, name="input_length")
        is_reached = tf.less_equal(tf.constant(list(bucket_boundaries), tf.int32), length)
        _, batch = bucket(
            [length] + tensor_list,
            which_bucket=tf.reduce_sum(tf.cast(is_reached, tf.int32)),
            batch_size=batch_size,
            num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=None if shapes is None else [tf.TensorShape([])] + list(shapes),
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        # Unlike `bucket`, a list of one tensor remains a list.
        return batch[0], _restore_structure(tensors, batch[1:]) if isinstance(tensors, dict) else batch[1:]


def _as_list(tensors: Any) -> List[Any]:
    return [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else list(tensors)


def _restore_structure(tensors: Any, batch: List[Any]) -> Any:
    if isinstance(tensors, dict):
        as_dict: Dict[Any, Any] = dict(zip(sorted(tensors, key=str), batch))
        return as_dict
    return batch[0] if len(batch) == 1 else batch


def _serialize_sparse(tensors: List[Any]) -> Tuple[List[Any], List[Optional[_SparseInfo]]]:
    """Returns (tensors with sparse ones serialized, a _SparseInfo for each sparse one and None for the others)."""
    dense: List[Any] = []
    sparse_infos: List[Optional[_SparseInfo]] = []
    for tensor in tensors:
        if isinstance(tensor, tf.SparseTensor):
            dense.append(tf.serialize_sparse(tensor))
            sparse_infos.append(_SparseInfo(tensor.dtype, tensor.dense_shape.shape.as_list()[0]))
        else:
            dense.append(tf.convert_to_tensor(tensor))
            sparse_infos.append(None)
    return dense, sparse_infos


def _static_size(size: Any) -> Any:
    if not tf.is_tensor(size):
        return int(size)
    value = tf.get_static_value(size)
    return size if value is None else int(value)


def _create_bucket_queues(
    dense: List[Any], shapes: Optional[Sequence[Any]], capacities: List[int], dynamic_pad: bool, shared: Optional[str]
) -> List[Any]:
    shapes = [tf.TensorShape(shape) for shape in shapes] if shapes is not None else [each.shape for each in dense]
    if not dynamic_pad and not all(shape.is_fully_defined() for shape in shapes):
        raise ValueError(
            "All shapes must be fully defined, or dynamic_pad set: {}".format([str(shape) for shape in shapes])
        )
    queue_class = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
    return [
        queue_class(
            capacity=capacity,
            dtypes=[tensor.dtype.base_dtype for tensor in dense],
            shapes=shapes,
            shared_name=None if shared is None else "{}_{}".format(shared, index),
            name="bucket_queue_{}".format(index),
        )
        for index, capacity in enumerate(capacities)
    ]


def _enqueue_example(queues: List[Any], dense: List[Any], which: Any, keep_input: Any) -> Any:
    def enqueue(queue: Any) -> Any:
        return queue.enqueue(dense)

    def enqueue_to_bucket() -> Any:
        enqueue_ops = [
            tf.cond(tf.equal(which, index), functools.partial(enqueue, queue), tf.no_op)
            for index, queue in enumerate(queues)
        ]
        return tf.group(*enqueue_ops, name="group_enqueues")

    if isinstance(keep_input, bool):
        return enqueue_to_bucket() if keep_input else tf.no_op()
    keep = tf.convert_to_tensor(keep_input, tf.bool)
    if keep.shape.ndims is None or keep.shape.ndims > 0:
        raise ValueError("`keep_input` must be a scalar bool, but has shape {}.".format(keep.shape))
    return tf.cond(keep, enqueue_to_bucket, tf.no_op)


def _enqueue_batches(queues: List[Any], top: Any, sizes: List[Any], allow_smaller: bool) -> List[Any]:
    enqueue_ops = []
    for index, (queue, size) in enumerate(zip(queues, sizes)):
        dequeue = queue.dequeue_up_to if allow_smaller else queue.dequeue_many
        batch = dequeue(size, name="read_bucket_{}".format(index))
        batch = list(batch) if isinstance(batch, (list, tuple)) else [batch]
        enqueue_ops.append(top.enqueue([tf.constant(index)] + batch, name="enqueue_from_bucket_{}".format(index)))
    return enqueue_ops


def _add_runners(queues: List[Any], top: Any, enqueue: Any, top_enqueue_ops: List[Any], num_threads: int) -> None:
    tf.train.add_queue_runner(
        tf.train.QueueRunner(
            queues[0],
            top_enqueue_ops,
            close_op=top.close(),
            cancel_op=top.close(cancel_pending_enqueues=True),
            queue_closed_exception_types=_CLOSED,
        )
    )
    tf.train.add_queue_runner(
        tf.train.QueueRunner(
            top,
            [enqueue] * num_threads,
            close_op=tf.group(*[queue.close() for queue in queues]),
            cancel_op=tf.group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
            queue_closed_exception_types=_CLOSED,
        )
    )
