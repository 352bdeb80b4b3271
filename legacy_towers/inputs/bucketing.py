"""Examples sorted by length into buckets, so that a batch holds examples of about the same length and little padding.

    examples  ->  boundaries 10, 20:  a padding queue of those below 10, of 10 to 19, of 20 and longer
              ->  each bucket's steps  ->  the prefetch queue

`tf.contrib.training.bucket` did this up to TF 1.15; this is made of public queues alone.
"""
from typing import Any, Callable, List, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError

Boundaries = Sequence[Union[int, float]]


def check_buckets(bucket_by: Any, boundaries: Any) -> None:
    """Raises ArgumentError unless both are None, or a function and one or more growing numbers."""
    if (bucket_by is None) != (boundaries is None):
        raise ArgumentError(
            "bucket_by and bucket_boundaries go together: bucket_by is a function from an example to its length, "
            "bucket_boundaries are the lengths at which a new bucket begins"
        )
    if bucket_by is None:
        return
    if not callable(bucket_by):
        raise ArgumentError("bucket_by must be a function from an example to its length, not {!r}".format(bucket_by))
    numbers = isinstance(boundaries, (list, tuple)) and all(
        isinstance(number, (int, float)) and not isinstance(number, bool) for number in boundaries
    )
    if not numbers or not boundaries or any(one >= other for one, other in zip(boundaries, boundaries[1:])):
        raise ArgumentError(
            "bucket_boundaries must be a list of one or more growing numbers, such as [10, 20], not {!r}".format(
                boundaries
            )
        )


def enqueue_by_length(queues: Sequence[Any], boundaries: Boundaries, length: Any, components: List[Any]) -> Any:
    """Returns the operation that puts one example into the queue of its bucket.

    Args:
      queues: one more than `boundaries`.
      length: the example's length, a scalar tensor of any real type.

    Raises:
      InputError: the length is no scalar.
    """
    length = tf.convert_to_tensor(length)
    if length.shape.ndims != 0 or not (length.dtype.is_integer or length.dtype.is_floating):
        raise InputError(
            "bucket_by must give a number, a tensor of shape [], for an example; it gave shape {} and type {}".format(
                length.shape, length.dtype.name
            )
        )
    # In float64, which holds every length of a bucket exactly, a boundary may lie between two whole numbers.
    length = tf.cast(length, tf.float64)
    cases = [
        (tf.less(length, tf.constant(boundary, tf.float64)), _enqueuer(queue, components))
        for boundary, queue in zip(boundaries, queues)
    ]
    return tf.case(cases, default=_enqueuer(queues[-1], components), exclusive=False)


def _enqueuer(queue: Any, components: List[Any]) -> Callable[[], Any]:
    def enqueue() -> Any:
        with tf.control_dependencies([queue.enqueue(components)]):
            return tf.constant(True)

    return enqueue


def describe_buckets(boundaries: Boundaries) -> str:
    """Returns the buckets in words for the plan."""
    names = ["below {}".format(boundaries[0])]
    names += ["{} to below {}".format(low, high) for low, high in zip(boundaries, boundaries[1:])]
    return "lengths {} and from {}".format(", ".join(names), boundaries[-1])


def describe_end(boundaries: Boundaries, remainder: str, batch_size: int, kind: str = "global ") -> str:
    """Returns in words what becomes of the examples that are left in the buckets at the end of data.

    Args:
      boundaries: of the buckets.
      remainder: "drop", "pad" or "short".
      batch_size: examples that are taken at a time.
      kind: what they are, an adjective with a space behind it or nothing.
    """
    buckets = len(boundaries) + 1
    if remainder == "drop":
        return "what doesn't fill a {}batch of its bucket is dropped: at most {:,} examples in each of {}".format(
            kind, batch_size - 1, buckets
        )
    filled = "short" if remainder == "short" else "padded with copies of an example, which don't count"
    return "the last {}batch of each of the {} buckets is {}".format(kind, buckets, filled)
