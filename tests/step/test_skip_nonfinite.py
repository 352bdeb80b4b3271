"""skip_nonfinite: a step whose loss or gradients are NaN or infinite changes nothing but the global step."""
import numpy as np
import pytest
import sessions
import two_objectives

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError


def losses_and_w(x, steps, **options):
    """Runs steps of a step that skips; returns the loss of each, and w after each."""
    step = sessions.build(x, skip_nonfinite=True, **options)
    (w,) = [each for each in tf.global_variables() if each.op.name == "w"]
    with tf.Session(config=sessions.CONFIG) as session, step.running(session) as run:
        found = [(run(step.loss), session.run(w)) for _ in range(steps)]
        assert session.run(step.global_step) == steps
    return [loss for loss, _ in found], [value for _, value in found]


@pytest.mark.parametrize("options", [
    {}, {"variables": "replicated"}, {"variables": "local_sgd:1"}, {"reduction": "tree"},
], ids=["default", "replicated", "local_sgd", "tree"])
def test_the_update_of_a_step_with_nan_is_not_applied(options):
    x = sessions.numbers(6)
    x[1, 0, 2], x[4, 1, 0] = np.nan, np.inf
    losses, values = sessions.reference(x, skipped=(2, 5))
    found, w = losses_and_w(x, 6, **options)
    np.testing.assert_allclose(found, losses, rtol=1e-5)
    np.testing.assert_allclose(w, values, rtol=1e-5)
    assert np.isnan(found[1]) and w[1] == w[0] and w[4] == w[3]


def test_a_nan_gradient_of_a_finite_loss_is_not_applied():
    def model_fn(batch, mode):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.sqrt(tf.square(w - batch["x"]))))

    x = np.float32([np.zeros([2, 3]), np.ones([2, 3]), np.zeros([2, 3])])  # in the second step 0 times infinity
    found, w = losses_and_w(
        x, 3, model_fn=model_fn, optimizer=tf.train.GradientDescentOptimizer(0.0)
    )
    assert (found, w) == ([1.0, 0.0, 1.0], [1.0, 1.0, 1.0])


def test_slots_averages_and_batch_norm_statistics_stay_as_they_are():
    def model_fn(batch, mode):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        mean = tf.get_variable("mean", [], initializer=tf.zeros_initializer(), trainable=False)
        tf.add_to_collection(
            tf.GraphKeys.UPDATE_OPS, mean.assign_sub(0.5 * (mean - tf.reduce_mean(batch["x"])), read_value=False)
        )
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(w * batch["x"] - 2.0)))

    x = sessions.numbers(3)
    x[1, 0, 0] = np.nan
    values = []
    for data, steps in ((x, 3), (x[[0, 2]], 2)):
        with tf.Graph().as_default():
            step = sessions.build(
                data, model_fn, optimizer=tf.train.MomentumOptimizer(0.25, 0.5), skip_nonfinite=True,
                moving_average_decay=0.5, update_ops="mean",
            )
            names = [each for each in tf.global_variables() if each is not step.global_step]
            with tf.Session(config=sessions.CONFIG) as session, step.running(session) as run:
                for _ in range(steps):
                    run()
                values.append(dict(zip([each.op.name for each in names], session.run(names))))
    with_nan, without = values
    # Batch-norm statistics and slots do not know of the skipped step; averages with a decay by step would.
    assert sorted(with_nan) == sorted(without) and {"w", "mean", "w/Momentum"} <= set(without)
    mean = np.float64(0.0)
    for batch in x[[0, 2]]:
        mean -= 0.5 * (mean - batch.mean())
    np.testing.assert_allclose(with_nan["mean"], mean, rtol=1e-6)
    for name in ("w", "w/Momentum", "mean"):
        np.testing.assert_allclose(with_nan[name], without[name], rtol=1e-6)
    assert all(np.isfinite(value) for value in with_nan.values())


def test_only_the_objective_with_nan_is_skipped_where_objectives_alternate():
    def model_fn(batch, mode):
        output = two_objectives.model_fn(batch, mode)
        nan = tf.where(tf.train.get_global_step() >= 2, tf.constant(np.nan, tf.float64), 0.0)
        return lt.TowerOutput(loss=dict(output.loss, generator=output.loss["generator"] * (1.0 + nan)))

    step = two_objectives.build(
        two_objectives.objectives(discriminator=3, generator=1), model_fn, skip_nonfinite=True
    )
    assert sorted(step.is_finite) == ["discriminator", "generator"]
    changes = []
    with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run:
        before = session.run(tf.trainable_variables())
        for _ in range(4):
            run()
            after = session.run(tf.trainable_variables())
            changes.append(any((one != other).any() for one, other in zip(before, after)))
            before = after
    assert changes == [True, True, True, False] and all(np.isfinite(value).all() for value in before)


def test_asynchronous_towers_are_refused():
    with pytest.raises(ArgumentError, match="^skip_nonfinite with Asynchronous"):
        source = lt.inputs.queue(lt.Examples.from_arrays({"x": np.ones(9, np.float32)}), per_tower_batch_size=3)
        lt.build_train_step(
            sessions.square, source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2),
            variables="asynchronous", skip_nonfinite=True,
        )
