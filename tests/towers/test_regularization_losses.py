"""Which fraction of each regularization loss is missing in the mean of the towers' losses."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.towers.regularization_losses import missing_regularization, regularization_terms


def decay(name="w", value=3.0):
    return tf.multiply(0.5, tf.Variable(value, name=name), name=name + "_decay")


def value_of(tensor):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor)


def test_no_regularization():
    assert regularization_terms([tf.constant(1.0)] * 4, []) == []
    assert missing_regularization([]) is None


@pytest.mark.parametrize(
    "holding, missing",
    [([], 1.0), ([0], 0.75), ([1, 3], 0.5), ([0, 1, 2], 0.25), ([0, 1, 2, 3], 0.0)],
    ids=["none", "the first", "two", "three", "all"],
)
def test_terms_complete_the_mean_of_the_losses(holding, missing):
    term = decay()
    data = [float(tower) for tower in range(4)]
    losses = [tf.constant(value) + (term if tower in holding else 0.0) for tower, value in enumerate(data)]
    (found,) = regularization_terms(losses, [term])
    assert found == (term, holding, missing, None)
    extra = missing_regularization([found])
    assert (extra is None) == (missing == 0.0)
    whole = tf.add_n(losses) / 4.0 + (0.0 if extra is None else extra)
    assert value_of(whole) == pytest.approx(1.5 + 1.5)


def test_each_loss_is_completed_separately():
    held, lost = decay("held", 2.0), decay("lost", 5.0)
    losses = [tf.constant(1.0) + held, tf.constant(2.0) + held]
    terms = regularization_terms(losses, [held, lost])
    assert [term.missing for term in terms] == [0.0, 1.0]
    assert value_of(missing_regularization(terms)) == 2.5


def test_a_loss_recomputed_by_new_operations_counts_as_contained():
    # From TF 2 on tf.losses.get_regularization_loss returns new operations in each tower.
    variable = tf.Variable(3.0, name="w", use_resource=True)
    first, again, other = [tf.multiply(0.5, variable), tf.multiply(0.5, variable), tf.multiply(0.25, variable)]
    assert regularization_terms([tf.constant(1.0) + again], [first])[0].missing == 0.0
    assert regularization_terms([tf.constant(1.0) + other], [first])[0].missing == 1.0


def test_equal_decay_of_two_variables_is_distinguished():
    one, two = decay("one"), decay("two")
    terms = regularization_terms([tf.constant(1.0) + one], [one, two])
    assert [term.missing for term in terms] == [0.0, 1.0]
