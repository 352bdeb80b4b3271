"""The first training steps with queues and with tf.data."""
from unittest import mock

import pytest
from migrate.proof.test_wrong_conversions import numbers, planted

from legacy_towers.compat import tf
from legacy_towers.migrate import prove


def model(batch, in_losses=True):
    number, x = batch
    weights = tf.get_variable("weights", [2, 1])
    features = tf.nn.dropout(tf.stack([x, x * x], 1), keep_prob=0.5)
    loss = tf.reduce_mean(tf.square(tf.matmul(features, weights)[:, 0] - tf.cast(number, tf.float32)), name="loss")
    if in_losses:
        tf.losses.add_loss(loss)
    return loss, tf.train.GradientDescentOptimizer(1e-3).minimize(loss)


def test_losses_and_variables_are_the_same_bit_for_bit():
    model(tf.train.batch(numbers(), 3))
    training = prove(rounds=0, steps=3).training
    assert training == ("proven", "", 3, ("loss", "trainable variables"))
    assert str(training) == "training: PROVEN: 3 steps give the same loss, trainable variables, bit for bit"


def test_steps_until_the_data_ends():
    loss, train_op = model(tf.train.batch(numbers(), 3), in_losses=False)
    training = prove(rounds=0, steps=20, losses=[loss], train_op=train_op).training
    assert (training.verdict, training.steps, training.compared[0]) == ("proven", 4, "loss")


def test_another_value_gives_another_loss():
    model(tf.train.batch(numbers(), 3))
    with planted(lambda dataset: dataset.map(lambda number, x: (number, tf.where(number > 7, x * 1.001, x)))):
        training = prove(rounds=0).training
    assert training.verdict == "different"
    assert training.reason.startswith("step 3: 'loss' is ")


def test_data_that_ends_earlier():
    model(tf.train.batch(numbers(), 3))
    with planted(lambda dataset: dataset.take(2)):
        training = prove(rounds=0).training
    assert training.reason == "the data ends after 4 steps with the queue, after 2 with tf.data"


@pytest.mark.parametrize("build, reason", [
    (lambda: model(tf.train.shuffle_batch(numbers(), 3, 12, 4)), "same set, since "),
    (lambda: model([tf.train.batch(numbers(), 3)[0], tf.placeholder(tf.float32, [3], name="fed")]),
     "the training operation is fed: 'fed'"),
    (lambda: (tf.train.batch(numbers(), 3), model([tf.constant([1]), tf.constant([1.0])])),
     "the training operation reads from no queue"),
], ids=["a shuffled queue", "a placeholder", "a model that does not read the queue"])
def test_steps_that_are_not_compared(build, reason):
    build()
    training = prove(rounds=0).training
    assert training.verdict == "not compared" and reason in training.reason


def test_no_steps_without_a_training_operation():
    tf.train.batch(numbers(), 3)
    assert prove(rounds=0).training is None
    with mock.patch("legacy_towers.migrate.proof.prove.prove_training") as never:
        model(tf.train.batch(numbers(), 3, name="other"))
        assert prove(rounds=0, steps=0).training is None
    assert not never.called
