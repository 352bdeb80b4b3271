"""The devices on which gradients are summed: the largest first, each on the least loaded device."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow
from legacy_towers.gradients.sums.by_row import balance_by_bytes, row_bytes


class Sized:
    """A variable's shape and dtype, which determine the device."""

    def __init__(self, shape, dtype=tf.float32):
        self.shape = tf.TensorShape(shape)
        self.dtype = dtype


def spread(variables, devices):
    return balance_by_bytes([row_bytes(GradientRow("", variable, [])) for variable in variables], devices)


def vectors(*sizes):
    return [Sized([size]) for size in sizes]


# The comments have the loads at the end.
CASES = {
    "one device takes all": (vectors(3, 1, 2), ["a"], "aaa"),
    "equal sizes in turn": (vectors(4, 4, 4, 4), ["a", "b"], "abab"),
    "a large one outweighs the rest": (vectors(1, 1, 10, 1), ["a", "b"], "bbab"),  # a 10, b 3; in turn it is abab
    "largest first": (vectors(2, 3, 4, 5), ["a", "b"], "abba"),  # a 5 + 2, b 4 + 3
    "three devices": (vectors(6, 5, 4, 3, 2, 1), ["a", "b", "c"], "abccba"),  # 7 each
    "ties go to the first device": (vectors(8, 4, 4, 2), ["a", "b"], "abba"),  # a 8, b 8 before the last
    "bytes count, not elements": ([Sized([3], tf.float32), Sized([2], tf.float64), Sized([1])], ["a", "b"], "bab"),
    "unknown sizes count as nothing": (
        [Sized([None, 1000]), Sized([2]), Sized(None), Sized([1])],
        ["a", "b"],
        "babb",  # a 2, b 1, then both unknown ones to b, the least loaded
    ),
    "a scalar is one element": ([Sized([]), Sized([2]), Sized([])], ["a", "b"], "bab"),
    "repeated devices count once": (vectors(3, 2, 1), ["a", "b", "a"], "abb"),
    "more devices than variables": (vectors(1, 2), ["a", "b", "c"], "ba"),
    "no variables": ([], ["a"], ""),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_choice_of_devices(case):
    variables, devices, expected = CASES[case]
    assert "".join(spread(variables, devices)) == expected


def test_the_choice_is_deterministic():
    variables = vectors(*[7, 7, 3, 3, 3, 9, 1, 1, 9] * 5)
    first = spread(variables, ["a", "b", "c"])
    assert all(spread(variables, ["a", "b", "c"]) == first for _ in range(3))


def test_choice_for_real_variables():
    made = [tf.get_variable("v{}".format(size), [size], dtype) for size, dtype in [(3, tf.float32), (2, tf.float64)]]
    assert spread(made, ["/cpu:0", "/cpu:1"]) == ["/cpu:1", "/cpu:0"]
