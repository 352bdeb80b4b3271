"""Bucketing by length: a batch holds examples of about the same length, and needs little padding.

    boundaries [10, 20]                  length < 10        padding queue   -> steps -+
    examples  ->  enqueue by length  ->  10 <= length < 20  padding queue   -> steps -+->  prefetch queue  ->  towers
                                         length >= 20       padding queue   -> steps -+

This is what `tf.contrib.training.bucket` of TF 1.15 does, built from public queues.
"""
from typing import Any, Callable, List, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.tensor_types import Operation, Tensor

Boundaries = Sequence[Union[int, float]]


def check_buckets(bucket_by: Any, boundaries: Any) -> None:
    """Raises ArgumentError unless both are None, or a function and one or more increasing numbers."""
    if (bucket_by is None) != (boundaries is None):
        raise ArgumentError(
            "bucket_by and bucket_boundaries must be given together: bucket_by is a function from an example to its "
            "length, and bucket_boundaries are the lengths at which a new bucket begins"
        )
    if bucket_by is None:
        return
    if not callable(bucket_by):
        raise ArgumentError("bucket_by must be a function from an example to its length, got {!r}".format(bucket_by))
    numbers = isinstance(boundaries, (list, tuple)) and all(
        isinstance(number, (int, float)) and not isinstance(number, bool) for number in boundaries
    )
    if not numbers or not boundaries or any(one >= other for one, other in zip(boundaries, boundaries[1:])):
        raise ArgumentError(
            "bucket_boundaries must be a list of one or more increasing numbers, such as [10, 20], got {!r}".format(
                boundaries
            )
        )


def enqueue_by_length(
    queues: Sequence[Any], boundaries: Boundaries, length: Tensor, components: List[Tensor]
) -> Operation:
    """Returns the operation that enqueues one example in the queue of its bucket.

    Raises:
      InputError: the length is not a scalar number.
    """
    length = tf.convert_to_tensor(length)
    if length.shape.ndims != 0 or not (length.dtype.is_integer or length.dtype.is_floating):
        raise InputError(
            "bucket_by must return a number, a scalar tensor, got shape {} and type {}".format(
                length.shape, length.dtype.name
            )
        )
    # In float64, which represents lengths exactly, so that a boundary may lie between two whole numbers.
    length = tf.cast(length, tf.float64)
    cases = [
        (tf.less(length, tf.constant(boundary, tf.float64)), _enqueuer(queue, components))
        for boundary, queue in zip(boundaries, queues)
    ]
    return tf.case(cases, default=_enqueuer(queues[-1], components), exclusive=False)


def _enqueuer(queue: Any, components: List[Tensor]) -> Callable[[], Any]:
    def enqueue() -> Any:
        with tf.control_dependencies([queue.enqueue(components)]):
            return tf.constant(True)

    return enqueue


def describe_buckets(boundaries: Boundaries) -> str:
    """Returns a description of the buckets for the plan."""
    names = ["below {}".format(boundaries[0])]
    names += ["{} to below {}".format(low, high) for low, high in zip(boundaries, boundaries[1:])]
    return "lengths {} and from {}".format(", ".join(names), boundaries[-1])


def describe_end(boundaries: Boundaries, remainder: str, batch_size: int, kind: str = "global ") -> str:
    """Returns a description of what happens to the examples that remain in the buckets at the end of the data.

    Args:
      batch_size: examples of the batches that are taken from a bucket.
      kind: what these batches are: "global ", or "" for per-tower batches.
    """
    buckets = len(boundaries) + 1
    if remainder == "drop":
        return "the last incomplete {}batch of each of the {} buckets is dropped: at most {:,} examples each".format(
            kind, buckets, batch_size - 1
        )
    completion = "short" if remainder == "short" else "padded with copies of an example, which are not counted"
    return "the last {}batch of each of the {} buckets is {}".format(kind, buckets, completion)
