"""Local SGD against numpy."""
import nets
import numpy as np
import pytest
from copied_towers import DEVICES, by_name, towers_step

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.variables import LocalSGD, MeanSaver


def linear_towers(towers, steps, dtype=np.float64):
    """Returns x [steps, towers, examples, 3], y [steps, towers, examples] and the initial weights."""
    rng = np.random.RandomState(3)
    x = rng.normal(size=[steps, towers, 5, 3]).astype(dtype)
    return x, rng.normal(size=[steps, towers, 5]).astype(dtype), rng.normal(size=[3]).astype(dtype)


def local_sgd(x, y, weights, sync_every, rate=0.125, momentum=0.75):
    """Local SGD in numpy: yields, after each step, per tower weights, slot, statistic and count."""
    towers = x.shape[1]
    weights = [weights.copy() for _ in range(towers)]
    slots = [np.zeros(3) for _ in range(towers)]
    statistics, counts = [0.0] * towers, [0] * towers
    for step in range(x.shape[0]):
        for tower in range(towers):
            error = x[step, tower].dot(weights[tower]) - y[step, tower]
            gradient = 2.0 * x[step, tower].T.dot(error) / len(error)
            slots[tower] = momentum * slots[tower] + gradient
            weights[tower] = weights[tower] - rate * slots[tower]
            statistics[tower] += x[step, tower].sum()
            counts[tower] += 1 + tower
        if (step + 1) % sync_every == 0:
            weights = [np.mean(weights, axis=0)] * towers
            slots = [np.mean(slots, axis=0)] * towers
            statistics = [np.mean(statistics)] * towers
            counts = [counts[0]] * towers
        yield [list(each) for each in (weights, slots, statistics, counts)]


def linear_step(initial, towers, sync_every, variable_kind):
    x = [tf.placeholder(tf.float64, [5, 3]) for _ in range(towers)]
    y = [tf.placeholder(tf.float64, [5]) for _ in range(towers)]

    def model_fn(batch, mode):
        weights = tf.get_variable("w", initializer=initial)
        statistic = tf.get_variable("statistic", [], tf.float64, tf.zeros_initializer(), trainable=False)
        count = tf.get_variable("count", [], tf.int32, tf.zeros_initializer(), trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(statistic, tf.reduce_sum(batch["x"])))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(count, 1 + batch["tower"]))
        error = tf.reduce_sum(batch["x"] * weights, axis=1) - batch["y"]
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(error)))

    batches = [{"x": x[tower], "y": y[tower], "tower": tf.constant(tower)} for tower in range(towers)]
    step = lt.build_train_step(
        model_fn,
        lt.inputs.from_tensors(per_tower=batches),
        tf.train.MomentumOptimizer(0.125, 0.75),
        ["/cpu:{}".format(tower % 2) for tower in range(towers)],
        LocalSGD(sync_every),
        use_resource=variable_kind == "resource",
    )
    return step, x, y


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64], ids=lambda dtype: dtype.__name__)
def test_untrained_variables_do_not_change_when_towers_are_averaged(dtype):
    """The sum of three equal numbers, times a third, can be another number."""
    values = np.append(np.random.RandomState(0).normal(size=[500]), [np.inf, -np.inf, 0.0]).astype(dtype)

    def model_fn(batch, mode):
        tf.get_variable("frozen", initializer=values, trainable=False)
        return lt.TowerOutput(loss=batch * tf.get_variable("w", []))

    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(float(tower)) for tower in range(3)])
    step = lt.build_train_step(
        model_fn, inputs, tf.train.GradientDescentOptimizer(0.1), ["/cpu:0"] * 3, LocalSGD(sync_every=1)
    )
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        for copy in step.towers[0].variables.copies_of(by_name("frozen")):
            np.testing.assert_array_equal(session.run(copy), values)


def partly_trained(lacks, strategy, **options):
    built = []

    def model_fn(batch, mode):
        built.append(mode)
        v, w = [tf.get_variable(name, [], tf.float64, tf.ones_initializer()) for name in "vw"]
        return lt.TowerOutput(loss=batch * w + (0.0 if len(built) == 1 + lacks else tf.square(v)))

    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(float(tower), tf.float64) for tower in range(2)])
    optimizer = tf.train.MomentumOptimizer(0.25, 0.5)
    return lt.build_train_step(model_fn, inputs, optimizer, ["/cpu:0"] * 2, strategy, **options)


@pytest.mark.parametrize("strategy", [LocalSGD(1), lt.variables.Asynchronous()], ids=repr)
@pytest.mark.parametrize("lacks", [0, 1])
def test_the_error_for_a_missing_gradient_names_the_tower(lacks, strategy):
    with pytest.raises(TowerError, match="tower {} has no gradient for 'v'".format(lacks)):
        partly_trained(lacks, strategy)


@pytest.mark.parametrize("lacks", [0, 1])
def test_a_variable_that_only_some_towers_train(lacks):
    """With on_missing="drop" a tower without a gradient keeps its copy, without a slot, until towers are averaged."""
    step = partly_trained(lacks, LocalSGD(1), on_missing="drop")
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        assert session.run(by_name("v")) == np.mean([1.0, 1.0 - 0.25 * 2.0])
        assert session.run(by_name("v/Momentum")) == 2.0


@pytest.mark.parametrize("variable_kind", ["resource", "ref"])
@pytest.mark.parametrize("towers", [1, 2, 4])
def test_local_sgd_against_numpy(towers, variable_kind, tmp_path):
    steps, sync_every, saved_at = 7, 3, 5
    x, y, initial = linear_towers(towers, steps)
    expected = list(local_sgd(x, y, initial, sync_every))
    step, x_of, y_of = linear_step(initial, towers, sync_every, variable_kind)
    plain = [by_name(name) for name in ("w", "w/Momentum", "statistic", "count")]
    copies = [step.towers[0].variables.copies_of(variable) for variable in plain]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), save_checkpoint_steps=saved_at, hooks=step.hooks, config=nets.config(2)
    ) as session:
        fresh = tf.train.latest_checkpoint(str(tmp_path))
        for number in range(steps):
            feed = dict(zip(x_of + y_of, list(x[number]) + list(y[number])))
            session.run(step.train_op, feed)
            for found, wanted in zip(session.run(copies, feed), expected[number]):
                np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
            if number + 1 == sync_every:
                np.testing.assert_allclose(session.run(plain[0], feed), expected[number][0][0], rtol=1e-12)
    np.testing.assert_array_equal(tf.train.load_variable(fresh, "w"), initial)
    for at in (saved_at, steps):
        # Saving does not change the copies, as the steps after it show.
        path = str(tmp_path / "model.ckpt-{}".format(at))
        for name, wanted in zip(["w", "w/Momentum", "statistic"], expected[at - 1]):
            np.testing.assert_allclose(tf.train.load_variable(path, name), np.mean(wanted, axis=0), rtol=1e-12)
        assert tf.train.load_variable(path, "count") == expected[at - 1][3][0]


def test_the_plain_variables_have_the_mean_when_a_session_ends():
    x, y, initial = linear_towers(2, 2)
    (_, expected) = local_sgd(x, y, initial, 100)
    step, x_of, y_of = linear_step(initial, 2, 100, "resource")
    with tf.Session(config=nets.config(2)) as session:
        with step.running(session) as run:
            for number in range(2):
                run(feed_dict=dict(zip(x_of + y_of, list(x[number]) + list(y[number]))))
            np.testing.assert_array_equal(session.run(by_name("w")), initial)
        np.testing.assert_allclose(session.run(by_name("w")), np.mean(expected[0], axis=0), rtol=1e-12)


def test_mean_saver_as_a_saver_of_the_user(tmp_path):
    x, y, initial = linear_towers(2, 1)
    (expected,) = local_sgd(x, y, initial, 100)
    step, x_of, y_of = linear_step(initial, 2, 100, "resource")
    variables = step.towers[0].variables
    saver = MeanSaver(variables, max_to_keep=1)
    copies = variables.copies_of(by_name("w"))
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run(feed_dict=dict(zip(x_of + y_of, list(x[0]) + list(y[0]))))
        before = session.run(copies)
        path = saver.save(session, str(tmp_path / "own"))
        np.testing.assert_array_equal(session.run(copies), before)
        mean = np.mean(expected[0], axis=0)
        np.testing.assert_allclose(tf.train.load_variable(path, "w"), mean, rtol=1e-12)
        saver.restore(session, path)
        np.testing.assert_allclose(session.run(copies), [mean, mean], rtol=1e-12)


def test_a_saver_that_does_not_save_the_mean_is_rejected():
    tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver(allow_empty=True, defer_build=True))
    with pytest.raises(ArgumentError, match="LocalSGD.*a Saver in its collection SAVERS.*MeanSaver"):
        towers_step(LocalSGD(2), "dense", "sgd", nets.no_decay, DEVICES[0])
