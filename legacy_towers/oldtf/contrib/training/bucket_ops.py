"""Queues that batch examples with others of their kind.

    example -> one queue for each bucket -> batches of one bucket -> the top queue -> a batch
"""
import functools
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf

__all__ = ["bucket", "bucket_by_sequence_length"]

_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


class _Sparse(NamedTuple):
    """What a sparse tensor was before it became strings."""

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
    """Batches examples of one bucket together.

    Args:
      tensors: of one example, a list or a dict.
      which_bucket: int32 scalar, its bucket.
      batch_size: of all buckets, or a list with that of each.
      num_buckets: how many there are.
      num_threads: threads that put examples into buckets.
      capacity: batches in the top queue, and examples in each bucket's.
      bucket_capacities: examples in each bucket's queue.
      shapes: of the tensors, where they are not known.
      dynamic_pad: whether unknown sizes are padded with zeros to the largest in the batch.
      allow_smaller_final_batch: whether what is left at the end becomes batches.
      keep_input: bool scalar; False leaves the example out.
      shared_name: under which sessions share the queues.
      name: of the operations.

    Returns:
      (bucket, batch): an int32 scalar, and tensors with a first dimension more, in a list or dict as given; of a list
        with one tensor that alone, without a list.

    Raises:
      ValueError: shapes are unknown, or a list has not one element for each bucket.
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
    given = _as_list(tensors)
    if not given:
        raise ValueError("Expected at least one tensor in bucket().")
    with tf.name_scope(name, "bucket", given + [which_bucket]):
        dense, sparse = _dense(given)
        static_sizes = [_static(size) for size in sizes]
        queues = _bucket_queues(dense, shapes, capacities, dynamic_pad, shared_name)
        one_size = None if allow_smaller_final_batch or isinstance(batch_size, (list, tuple)) else static_sizes[0]
        top = tf.PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[tf.int32] + [tensor.dtype.base_dtype for tensor in dense],
            shapes=[tf.TensorShape([])] + [tf.TensorShape([one_size]).concatenate(each) for each in queues[0].shapes],
            shared_name=shared_name,
            name="top_queue",
        )
        enqueue = _enqueue_one(queues, dense, tf.convert_to_tensor(which_bucket, tf.int32), keep_input)
        to_top = _enqueue_batches(queues, top, static_sizes, allow_smaller_final_batch)
        _add_runners(queues, top, enqueue, to_top, num_threads)
        for queue in queues:
            tf.summary.scalar("bucket/{}/size".format(queue.name), tf.cast(top.size(), tf.float32))
        tf.summary.scalar(
            "bucket/{}/fraction_of_{}_full".format(top.name, capacity), tf.cast(top.size(), tf.float32) / capacity
        )
        found = top.dequeue(name="dequeue_top")
        batch = [
            each if kind is None else tf.deserialize_many_sparse(each, dtype=kind.dtype, rank=kind.rank)
            for each, kind in zip(found[1:], sparse)
        ]
        return found[0], _as_given(tensors, batch)


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
    """Batches sequences of like length together; see `bucket`.

    Args:
      input_length: int32 scalar, the length of the example.
      bucket_boundaries: increasing ints; bucket 0 is of lengths below the first, the last of those from the last on.

    Returns:
      (lengths, batch): int32 [batch], and the batch.

    Raises:
      TypeError: the boundaries are not ints.
      ValueError: there are none, or they don't increase.
    """
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError("bucket_boundaries must be a list or tuple, but received: {}".format(bucket_boundaries))
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for one, next_one in zip(bucket_boundaries[:-1], bucket_boundaries[1:]):
        if not isinstance(one, int) or not isinstance(next_one, int):
            raise TypeError("bucket boundaries must be integers, but saw: {} and {}".format(one, next_one))
        if one >= next_one:
            raise ValueError(
                "Buckets must contain sequential increasing lengths, but saw: {} before {}".format(one, next_one)
            )
    given = _as_list(tensors)
    with tf.name_scope(name, "bucket_by_sequence_length", given + [input_length]):
        length = tf.convert_to_tensor(input_length, dtype=tf.int32, name="input_length")
        reached = tf.less_equal(tf.constant(list(bucket_boundaries), tf.int32), length)
        _, found = bucket(
            [length] + given,
            which_bucket=tf.reduce_sum(tf.cast(reached, tf.int32)),
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
        # Here a list stays one.
        return found[0], _as_given(tensors, found[1:]) if isinstance(tensors, dict) else found[1:]


def _as_list(tensors: Any) -> List[Any]:
    return [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else list(tensors)


def _as_given(tensors: Any, batch: List[Any]) -> Any:
    if isinstance(tensors, dict):
        as_dict: Dict[Any, Any] = dict(zip(sorted(tensors, key=str), batch))
        return as_dict
    return batch[0] if len(batch) == 1 else batch


def _dense(tensors: List[Any]) -> Tuple[List[Any], List[Optional[_Sparse]]]:
    """Returns tensors that a queue takes, and what the sparse ones among them were."""
    dense: List[Any] = []
    kinds: List[Optional[_Sparse]] = []
    for tensor in tensors:
        if isinstance(tensor, tf.SparseTensor):
            dense.append(tf.serialize_sparse(tensor))
            kinds.append(_Sparse(tensor.dtype, tensor.dense_shape.shape.as_list()[0]))
        else:
            dense.append(tf.convert_to_tensor(tensor))
            kinds.append(None)
    return dense, kinds


def _static(size: Any) -> Any:
    if not tf.is_tensor(size):
        return int(size)
    value = tf.get_static_value(size)
    return size if value is None else int(value)


def _bucket_queues(
    dense: List[Any], shapes: Optional[Sequence[Any]], capacities: List[int], dynamic_pad: bool, shared: Optional[str]
) -> List[Any]:
    known = [tf.TensorShape(shape) for shape in shapes] if shapes is not None else [each.shape for each in dense]
    if not dynamic_pad and not all(shape.is_fully_defined() for shape in known):
        raise ValueError(
            "All shapes must be fully defined, or dynamic_pad set: {}".format([str(shape) for shape in known])
        )
    make = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
    return [
        make(
            capacity=capacity,
            dtypes=[tensor.dtype.base_dtype for tensor in dense],
            shapes=known,
            shared_name=None if shared is None else "{}_{}".format(shared, index),
            name="bucket_queue_{}".format(index),
        )
        for index, capacity in enumerate(capacities)
    ]


def _enqueue_one(queues: List[Any], dense: List[Any], which: Any, keep_input: Any) -> Any:
    def put(queue: Any) -> Any:
        return queue.enqueue(dense)

    def put_where_it_belongs() -> Any:
        puts = [
            tf.cond(tf.equal(which, index), functools.partial(put, queue), tf.no_op)
            for index, queue in enumerate(queues)
        ]
        return tf.group(*puts, name="group_enqueues")

    if isinstance(keep_input, bool):
        return put_where_it_belongs() if keep_input else tf.no_op()
    keep = tf.convert_to_tensor(keep_input, tf.bool)
    if keep.shape.ndims is None or keep.shape.ndims > 0:
        raise ValueError("`keep_input` must be a scalar bool, but has shape {}.".format(keep.shape))
    return tf.cond(keep, put_where_it_belongs, tf.no_op)


def _enqueue_batches(queues: List[Any], top: Any, sizes: List[Any], allow_smaller: bool) -> List[Any]:
    puts = []
    for index, (queue, size) in enumerate(zip(queues, sizes)):
        take = queue.dequeue_up_to if allow_smaller else queue.dequeue_many
        batch = take(size, name="read_bucket_{}".format(index))
        batch = list(batch) if isinstance(batch, (list, tuple)) else [batch]
        puts.append(top.enqueue([tf.constant(index)] + batch, name="enqueue_from_bucket_{}".format(index)))
    return puts


def _add_runners(queues: List[Any], top: Any, enqueue: Any, to_top: List[Any], num_threads: int) -> None:
    tf.train.add_queue_runner(
        tf.train.QueueRunner(
            queues[0],
            to_top,
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
