"""The policies for missing gradients."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import GradientRow, ReductionContext, TowerGradients
from legacy_towers.gradients.transforms.missing import check_on_missing, missing, settle_missing


def variable(name="w"):
    return tf.get_variable(name, [4, 2], tf.float64)


def dense():
    return tf.ones([4, 2], tf.float64)


def sparse(index_dtype=tf.int64):
    return tf.IndexedSlices(tf.ones([1, 2], tf.float64), tf.constant([3], index_dtype), [4, 2])


@pytest.mark.parametrize("policy", ["error", "zeros", "drop"])
def test_known_policies_are_accepted(policy):
    check_on_missing(policy)


@pytest.mark.parametrize("policy", ["Error", "zero", None])
def test_unknown_policies_are_rejected(policy):
    with pytest.raises(ArgumentError, match="on_missing is {!r}: allowed are 'error', 'zeros', 'drop'".format(policy)):
        check_on_missing(policy)


def left_alone(policy):
    """Returns which of three variables, with gradients of every, some and no tower, `missing` leaves without one."""
    of_towers = {"every": [dense(), dense()], "some": [None, sparse()], "none": [None, None]}
    rows = [GradientRow(name, variable(name), gradients) for name, gradients in of_towers.items()]
    settled = missing(policy).update(TowerGradients(rows, ReductionContext(["/cpu:0", "/cpu:0"], [0, 1])), None)
    return [row.name for row in settled.rows if all(gradient is None for gradient in row.gradients)]


@pytest.mark.parametrize("policy, expected", [("zeros", ["none"]), ("drop", ["some", "none"])], ids=["zeros", "drop"])
def test_dropped_variables(policy, expected):
    assert left_alone(policy) == expected


def test_the_policy_error_drops_nothing():
    with pytest.raises(TowerError, match="tower 0 has no gradient for 'some' .tower 1 has one"):
        left_alone("error")


@pytest.mark.parametrize("policy", ["error", "zeros", "drop"])
def test_complete_gradients_are_unchanged(policy):
    gradients = [dense(), sparse()]
    settled = settle_missing(gradients, variable(), policy)
    assert [id(gradient) for gradient in settled] == [id(gradient) for gradient in gradients]


@pytest.mark.parametrize(
    "present, message",
    [
        ([0], "tower 1 has no gradient for 'w' .tower 0 has one"),
        ([0, 2], "tower 1 has no gradient for 'w' .towers 0 and 2 have one"),
        ([2], "towers 0 and 1 have no gradient for 'w' .tower 2 has one"),
        ([], "no tower has a gradient for 'w': the loss does not depend on it"),
    ],
    ids=str,
)
def test_the_error_names_variable_and_towers(present, message):
    count = max(present + [1]) + 1
    gradients = [dense() if index in present else None for index in range(count)]
    with pytest.raises(TowerError, match=message):
        settle_missing(gradients, variable(), "error")


@pytest.mark.parametrize("make", [dense, sparse], ids=["dense", "sparse"])
def test_drop_removes_all_gradients_of_a_variable(make):
    assert settle_missing([make(), None], variable(), "drop") == []


@pytest.mark.parametrize("make", [dense, sparse], ids=["dense", "sparse"])
def test_zeros_are_dense_or_sparse_as_the_others(make):
    present = make()
    settled = settle_missing([None, present], variable(), "zeros")
    assert settled[1] is present
    assert isinstance(settled[0], tf.IndexedSlices) == isinstance(present, tf.IndexedSlices)
    assert settled[0].dtype == tf.float64
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(settled[0])), np.zeros([4, 2]))


def test_zeros_of_a_sparse_gradient_have_no_rows():
    zeros = settle_missing([sparse(), None], variable(), "zeros")[1]
    assert zeros.values.shape.as_list() == [0, 2] and zeros.indices.shape.as_list() == [0]


@pytest.mark.parametrize("make", [dense, sparse], ids=["dense", "sparse"])
def test_zeros_of_a_variable_of_unknown_static_shape(make):
    first = tf.placeholder_with_default(np.ones([4, 2]), None)
    of_any_shape = tf.get_variable("w", initializer=first, validate_shape=False, use_resource=True)
    zeros, _ = settle_missing([None, make()], of_any_shape, "zeros")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(zeros)), np.zeros([4, 2]))


def test_zeros_if_no_tower_has_a_gradient():
    settled = settle_missing([None, None], variable(), "zeros")
    with tf.Session() as session:
        for zeros in session.run(settled):
            np.testing.assert_array_equal(zeros, np.zeros([4, 2]))
