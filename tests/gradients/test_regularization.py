"""The gradient of the regularization is added once per variable, where the towers' gradients are reduced."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.gradients.base import Reduction, ReductionContext, pairs_of
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.reduce import prepare
from legacy_towers.gradients.regularization import regularization_gradients
from legacy_towers.gradients.sums.add_n import mean
from legacy_towers.gradients.sums.add_n import sum as sum_of_towers
from legacy_towers.gradients.transforms.missing import missing

VALUE = np.arange(12.0).reshape([4, 3]) - 5


def variable(name="w"):
    return tf.get_variable(name, initializer=VALUE)


def evaluated(pairs):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as session:
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


def reduced(of_towers, regularization, reduction, tower_weights=None):
    """Returns the reduced (gradient, variable) pairs of towers whose losses all lack the regularization."""
    variables = [variable for _, variable in of_towers[0]]
    towers = len(of_towers)
    context = ReductionContext(["/cpu:{}".format(tower) for tower in range(towers)], list(range(towers)), tower_weights)
    prepared = prepare(reduction, context, variables)
    once = regularization_gradients(regularization, sgd(), variables)
    with tf.device("/cpu:0"):
        return pairs_of(prepared.reduce(of_towers, once))


class Doubled(Reduction):
    """A reduction that works on whole gradients: 2 g + 1."""

    def update(self, gradients, state):
        rows = [row._replace(gradients=[2 * each + 1 for each in row.gradients]) for row in gradients.rows]
        return gradients._replace(rows=rows)


class Same(Reduction):
    """A reduction that returns whole gradients unchanged."""

    def update(self, gradients, state):
        return gradients


@pytest.mark.parametrize("towers", [1, 3])
@pytest.mark.parametrize("kind", sorted(AVERAGED))
def test_weight_decay_is_added(kind, towers):
    make, dense = AVERAGED[kind]
    weights = variable()
    pairs = reduced([[(make(), weights)] for _ in range(towers)], 0.1 * tf.nn.l2_loss(weights), mean())
    assert pairs[0][1] is weights and not isinstance(pairs[0][0], tf.IndexedSlices)
    np.testing.assert_allclose(evaluated(pairs)[0], dense + 0.1 * VALUE, rtol=1e-14)


def test_a_sparse_regularization_gradient_is_added():
    weights = variable()
    of_rows = tf.reduce_sum(tf.gather(weights, [2, 2])) * 3.0
    pairs = reduced([[(tf.constant(np.ones([4, 3])), weights)]], of_rows, mean())
    expected = np.ones([4, 3])
    expected[2] += 6
    np.testing.assert_allclose(evaluated(pairs)[0], expected, rtol=1e-14)


@pytest.mark.parametrize("kind", sorted(AVERAGED))
def test_gradients_without_regularization_are_returned_unchanged(kind):
    gradient, weights, other = AVERAGED[kind][0](), variable("w"), variable("other")
    pairs = reduced([[(gradient, weights), (None, other)]], tf.nn.l2_loss(other), mean())
    assert pairs[0][0] is gradient
    assert [each for _, each in pairs] == [weights, other]


def test_no_regularization():
    weights = variable()
    assert reduced([[(None, weights)]] * 2, None, mean()) == [(None, weights)]


def test_a_dropped_variable_gets_no_weight_decay():
    kept, dropped = variable("kept"), variable("dropped")
    decay = tf.nn.l2_loss(kept) + tf.nn.l2_loss(dropped)
    ones = tf.constant(np.ones([4, 3]))
    of_towers = [[(ones, kept), (ones, dropped)], [(ones, kept), (None, dropped)]]
    pairs = reduced(of_towers, decay, chain(missing("drop"), mean()))
    assert pairs[1] == (None, dropped)
    np.testing.assert_allclose(evaluated(pairs[:1])[0], 1 + VALUE, rtol=1e-14)


@pytest.mark.parametrize(
    "reduction, expected",
    [
        (lambda: mean(), 2 + VALUE),
        (lambda: sum_of_towers(), 4 + 2 * VALUE),
        (lambda: chain(Doubled(), mean()), 2 * (2 + VALUE) + 1),
        (lambda: chain(mean(), Doubled()), 2 * (2 + VALUE) + 1),
        (lambda: chain(chain(Doubled()), sum_of_towers()), 2 * (2 * (2 + VALUE) + 1)),
    ],
    ids=["mean", "sum", "before the mean", "after the mean", "in a chain before the sum"],
)
def test_the_position_of_the_addition_in_a_chain(reduction, expected):
    """Each tower's loss is its own loss plus the regularization: towers' gradients are 1 and 3 plus w."""
    weights = variable()
    of_towers = [[(tf.constant(np.full([4, 3], value)), weights)] for value in (1.0, 3.0)]
    pairs = reduced(of_towers, tf.nn.l2_loss(weights), reduction())
    np.testing.assert_allclose(evaluated(pairs)[0], expected, rtol=1e-14)


@pytest.mark.parametrize("as_tensors", [False, True])
@pytest.mark.parametrize("reduction", [sum_of_towers(), chain(Same(), sum_of_towers())], ids=["alone", "in a chain"])
def test_a_sum_leaves_out_the_weight_decay_of_a_tower_with_weight_0(reduction, as_tensors):
    weights = variable()
    of_towers = [[(tf.constant(np.full([4, 3], value)), weights)] for value in (1.0, 3.0, np.nan)]
    tower_weights = [
        tf.placeholder_with_default(np.float64(each), []) if as_tensors else each for each in (0.5, 0.5, 0.0)
    ]
    pairs = reduced(of_towers, tf.nn.l2_loss(weights), reduction, tower_weights)
    np.testing.assert_allclose(evaluated(pairs)[0], 4 + 2 * VALUE, rtol=1e-14)


def test_one_tower_without_a_reduction():
    weights = variable()
    pairs = reduced([[(tf.constant(np.ones([4, 3])), weights)]], tf.nn.l2_loss(weights), Doubled())
    np.testing.assert_allclose(evaluated(pairs)[0], 2 * (1 + VALUE) + 1, rtol=1e-14)
