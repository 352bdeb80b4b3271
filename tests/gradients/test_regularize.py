"""The gradient of the regularization is added once, by variable."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.gradients.regularize import add_regularization

VALUE = np.arange(12.0).reshape([4, 3]) - 5


def variable(name="w"):
    return tf.get_variable(name, initializer=VALUE)


def evaluated(pairs):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([gradient for gradient, _ in pairs])


def sgd():
    return tf.train.GradientDescentOptimizer(0.1)


def slices():
    """Row 1 twice, row 3 once: the sum of repeated rows is the gradient."""
    return tf.IndexedSlices(tf.constant(np.array([[1.0] * 3, [2.0] * 3, [4.0] * 3])), tf.constant([1, 3, 1]), [4, 3])


AVERAGED = {
    "dense": (lambda: tf.constant(np.full([4, 3], 7.0)), np.full([4, 3], 7.0)),
    "sparse": (slices, np.array([[0.0] * 3, [5.0] * 3, [0.0] * 3, [2.0] * 3])),
    "none": (lambda: None, np.zeros([4, 3])),
}


@pytest.mark.parametrize("kind", sorted(AVERAGED))
def test_the_decay_is_added(kind):
    make, dense = AVERAGED[kind]
    weights = variable()
    pairs = add_regularization([(make(), weights)], 0.1 * tf.nn.l2_loss(weights), sgd())
    assert pairs[0][1] is weights and not isinstance(pairs[0][0], tf.IndexedSlices)
    np.testing.assert_allclose(evaluated(pairs)[0], dense + 0.1 * VALUE, rtol=1e-14)


def test_a_sparse_addition_is_added_too():
    weights = variable()
    of_rows = tf.reduce_sum(tf.gather(weights, [2, 2])) * 3.0
    pairs = add_regularization([(tf.constant(np.ones([4, 3])), weights)], of_rows, sgd())
    expected = np.ones([4, 3])
    expected[2] += 6
    np.testing.assert_allclose(evaluated(pairs)[0], expected, rtol=1e-14)


@pytest.mark.parametrize("kind", sorted(AVERAGED))
def test_what_is_not_regularized_stays_the_very_object(kind):
    gradient, weights, other = AVERAGED[kind][0](), variable("w"), variable("other")
    pairs = add_regularization([(gradient, weights), (None, other)], tf.nn.l2_loss(other), sgd())
    assert pairs[0][0] is gradient
    assert [each for _, each in pairs] == [weights, other]


def test_no_regularization():
    weights = variable()
    averaged = [(None, weights)]
    assert add_regularization(averaged, None, sgd()) == averaged


def test_a_dropped_variable_gets_no_decay():
    kept, dropped = variable("kept"), variable("dropped")
    decay = tf.nn.l2_loss(kept) + tf.nn.l2_loss(dropped)
    pairs = add_regularization([(None, kept), (None, dropped)], decay, sgd(), dropped=["dropped"])
    assert pairs[1] == (None, dropped)
    np.testing.assert_allclose(evaluated(pairs[:1])[0], VALUE, rtol=1e-14)
