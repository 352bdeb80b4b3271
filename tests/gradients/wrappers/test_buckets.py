"""Which gradients share a bucket: from the last to the first, up to the size of a bucket."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow
from legacy_towers.gradients.wrappers.bucketed import fill_buckets


def row(elements, dtype=tf.float32, device="a"):
    shape = [elements] if isinstance(elements, int) else elements
    return GradientRow("v", None, [tf.placeholder(dtype, shape), tf.placeholder(dtype, shape)], device)


CASES = {
    "all fit": ([3, 2, 5], 40, [[2, 1, 0]]),
    "no more than fit": ([3, 2, 5], 28, [[2, 1], [0]]),
    "in order, without looking for a better fit": ([1, 4, 1, 4], 20, [[3, 2], [1, 0]]),
    "a larger one alone, and the bucket goes on": ([2, 30, 2], 16, [[2, 0], [1]]),
    "one exactly as large": ([1, 4, 1], 16, [[2], [1], [0]]),
    "a byte each": ([1, 1], 1, [[1], [0]]),
    "empty ones and scalars": ([0, [], [2, 0], []], 8, [[3, 2, 1, 0]]),
    "unknown sizes count as nothing": ([2, None, [None, 3], 2], 16, [[3, 2, 1, 0]]),
    "none": ([], 16, []),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_buckets_by_bytes(case):
    shapes, limit, expected = CASES[case]
    rows = [row([None] if shape is None else shape) for shape in shapes]
    buckets = fill_buckets(rows, range(len(rows)), limit)
    assert [bucket.positions for bucket in buckets] == expected
    assert [bucket.number for bucket in buckets] == list(range(len(expected)))
    for bucket in buckets:
        assert bucket.bytes <= limit or len(bucket.positions) == 1


def test_dtypes_and_devices_have_separate_buckets():
    rows = [row(1), row(1, tf.float64), row(1), row(1, device="b"), row(1, tf.float64), row(3), row(1, device="b")]
    buckets = fill_buckets(rows, range(7), 16)
    assert [(bucket.dtype, bucket.device, bucket.positions, bucket.bytes) for bucket in buckets] == [
        (tf.float32, "b", [6, 3], 8),
        (tf.float32, "a", [5, 2], 16),
        (tf.float64, "a", [4, 1], 16),
        (tf.float32, "a", [0], 4),
    ]


def test_only_the_given_rows_are_bucketed():
    rows = [row(1), GradientRow("none", None, [None, None], "a"), row(1)]
    assert [bucket.positions for bucket in fill_buckets(rows, [0, 2], 16)] == [[2, 0]]


def test_the_shape_may_be_known_from_one_tower_or_the_variable():
    with tf.device("/cpu:0"):
        variable = tf.get_variable("w", [5], use_resource=True)
    unknown = [tf.placeholder(tf.float32), tf.placeholder(tf.float32)]
    known = [tf.placeholder(tf.float32), tf.placeholder(tf.float32, [2, 2])]
    rows = [GradientRow("w", variable, unknown, "a"), GradientRow("v", None, known, "a")]
    assert fill_buckets(rows, [0, 1], 100)[0].bytes == 20 + 16
