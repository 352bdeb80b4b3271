"""Steps of build_train_step with weight decay, momentum and averages: three towers compute what one tower computes."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.gradients import (
    accumulate,
    chain,
    check_numerics,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    delayed,
    densify,
    dynamic_loss_scale,
    loss_scale,
    mean,
    scale,
    tree,
)

STEPS, BATCH = 7, 6
REDUCTIONS = [
    (chain(loss_scale(64.0), mean()), []),
    (chain(mean(), loss_scale(64.0), clip_by_norm(0.5)), [2]),
    (chain(dynamic_loss_scale(8.0, growth_steps=2), mean(), check_numerics()), [1, 4]),
    (chain(mean(), dynamic_loss_scale(8.0, growth_steps=2), accumulate(2)), [1, 4]),
    (chain(dynamic_loss_scale(8.0, growth_steps=2), accumulate(2), tree()), [2]),
    (chain(delayed(), mean(), clip_by_global_norm(0.5)), []),
    (chain(dynamic_loss_scale(8.0), delayed(), mean(), clip_by_value(-0.5, 0.25), scale(0.5), check_numerics()), [2]),
]


def model_fn(batch, mode):
    w = tf.get_variable(
        "w", [3], tf.float64, tf.constant_initializer([1.0, -2.0, 0.5]), lambda w: 0.1 * tf.reduce_sum(w * w)
    )
    table = tf.get_variable("table", [6], tf.float64, tf.constant_initializer(np.arange(6) * 0.1))
    predicted = tf.reduce_sum(w * batch["x"], 1) + tf.gather(table, batch["id"])
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(predicted - batch["y"])))


def built(towers, reduction, **options):
    fed = {
        "x": tf.placeholder(tf.float64, [BATCH, 3]),
        "id": tf.placeholder(tf.int64, [BATCH]),
        "y": tf.placeholder(tf.float64, [BATCH]),
    }
    parts = {name: tf.split(whole, towers) for name, whole in fed.items()}
    batches = [{name: parts[name][tower] for name in parts} for tower in range(towers)]
    step = lt.build_train_step(
        model_fn,
        lt.inputs.from_tensors(batches),
        tf.train.MomentumOptimizer(0.125, 0.5),
        lt.devices.cpus(towers),
        reduction=reduction,
        moving_average_decay=0.5,
        **options
    )
    return step, fed


def feeds(fed, bad):
    rng = np.random.RandomState(1)
    for number in range(STEPS):
        x = rng.normal(size=[BATCH, 3])
        if number in bad:
            x[-1, 0] = np.inf
        yield {fed["x"]: x, fed["id"]: rng.randint(6, size=BATCH), fed["y"]: rng.normal(size=BATCH)}


def trajectory(towers, reduction, bad, **options):
    """Returns all global variables after each step, by their names."""
    with tf.Graph().as_default():
        step, fed = built(towers, reduction, **options)
        with tf.Session(config=lt.session_config(logical_cpus=towers)) as session, step.running(session) as run:
            history = []
            for feed in feeds(fed, bad):
                run(feed_dict=feed)
                history.append({v.op.name: session.run(v) for v in tf.global_variables()})
    return history


@pytest.mark.parametrize("reduction, bad", REDUCTIONS, ids=[repr(each) for each, _ in REDUCTIONS])
def test_three_towers_match_one_tower(reduction, bad):
    # Both kinds of variables are compared with each other.
    one = trajectory(1, reduction, bad, use_resource=True)
    three = trajectory(3, reduction, bad, use_resource=False)
    for number, (found, expected) in enumerate(zip(three, one)):
        assert sorted(found) == sorted(expected) and found["global_step"] == number + 1
        for name in expected:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, atol=1e-12, err_msg=name)
    assert all(np.isfinite(value).all() for value in one[-1].values())
    assert not np.allclose(one[-1]["w"], [1, -2, 0.5]) and not np.allclose(one[-1]["table"], np.arange(6) * 0.1)


@pytest.mark.parametrize("variables", [lt.variables.LocalSGD(1), lt.variables.Asynchronous()], ids=repr)
def test_gradients_become_dense_if_each_tower_applies_its_own(variables):
    batch = {"x": tf.ones([2, 3], tf.float64), "id": tf.constant([4, 1]), "y": tf.zeros([2], tf.float64)}
    inputs = lt.inputs.from_tensors([batch] * 2, shared_by_towers=True)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    reduction = chain(densify(), mean())
    step = lt.build_train_step(model_fn, inputs, optimizer, lt.devices.cpus(2), variables, reduction)
    assert [isinstance(gradient, tf.Tensor) for gradient, _ in step.gradients] == [True, True]


def test_a_scaled_loss_does_not_change_a_step():
    """Powers of 2 are exact; weight decay is scaled and divided like the losses."""
    plain, scaled = (trajectory(2, each, []) for each in (mean(), chain(mean(), loss_scale(4096.0))))
    for found, expected in zip(scaled, plain):
        for name in expected:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-14)


def test_a_monitored_session_initializes_the_state_of_reductions(tmp_path):
    reduction = chain(dynamic_loss_scale(8.0, growth_steps=2), delayed(), mean(), accumulate(2))
    expected = trajectory(2, reduction, [1])
    step, fed = built(2, reduction)
    given = list(feeds(fed, [1]))
    config = lt.session_config(logical_cpus=2)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=step.hooks, config=config, log_step_count_steps=None
    ) as session:
        for feed in given:
            session.run(step.train_op, feed)
        found = {v.op.name: session.run(v) for v in tf.global_variables()}
    saved = tf.train.load_checkpoint(str(tmp_path))
    for name, value in expected[-1].items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
        np.testing.assert_array_equal(saved.get_tensor(name), value, err_msg=name)


SAVED = {"reduction/loss_scale": 16.0, "reduction/good_steps": 1}
STRATEGIES = {
    "shared": (3, lt.variables.RoundRobin(lt.devices.cpus(3))),
    "replicated": (2, lt.variables.Replicated()),
    "local_sgd": (3, lt.variables.LocalSGD(2)),
    "local_sgd, 2 towers": (2, lt.variables.LocalSGD(2)),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "source, into",
    [
        ("shared", "local_sgd"),
        ("local_sgd", "shared"),
        ("local_sgd", "replicated"),
        ("local_sgd", "local_sgd, 2 towers"),
    ],
)
def test_a_loss_scale_restores_into_other_strategies_tower_counts_and_chains(source, into, tmp_path):
    towers, strategy = STRATEGIES[source]
    with tf.Graph().as_default():
        step, fed = built(towers, chain(dynamic_loss_scale(8.0, growth_steps=2), mean()), variables=strategy)
        with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
            for feed in list(feeds(fed, []))[:3]:
                run(feed_dict=feed)
            path = tf.train.Saver().save(session, str(tmp_path / "model"))
    saved = {name: tf.train.load_variable(path, name) for name, _ in tf.train.list_variables(path)}
    assert {name: saved[name] for name in SAVED} == SAVED
    towers, strategy = STRATEGIES[into]
    with tf.Graph().as_default():
        # With another transform before it, and one that on_missing adds: the scale's name stays the same.
        reduction = chain(scale(1.0), chain(mean(), dynamic_loss_scale(8.0, growth_steps=2)))
        step, fed = built(towers, reduction, variables=strategy, on_missing="zeros")
        assert {v.op.name for v in tf.global_variables()} == set(saved)
        of_others = [v for v in tf.local_variables() if v.op.name.endswith(("/loss_scale", "/good_steps"))]
        assert len(of_others) == (2 * (towers - 1) if strategy.updates != "reduced" else 0)
        saver = tf.train.Saver()
        with tf.Session(config=lt.session_config(logical_cpus=3)) as session:
            saver.restore(session, path)
            with step.running(session):
                for variable in of_others + [v for v in tf.global_variables() if v.op.name in SAVED]:
                    assert session.run(variable) == SAVED["reduction/" + variable.op.name.split("/")[-1]]


@pytest.mark.parametrize("reduction", [mean(), scale(1.0), chain(mean(), check_numerics())], ids=repr)
def test_an_independent_tower_without_examples_does_not_change(reduction):
    """Ten examples for 4 towers of 2: in the second step tower 0 has the last two examples, the others none."""

    def squared(batch, mode):
        w = tf.get_variable("w", [], tf.float64, tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(w * batch["x"] - 1)))

    values = np.arange(1, 11) * 0.1
    step = lt.build_train_step(
        squared,
        lt.inputs.dataset(
            lt.Examples.from_arrays({"x": values}, shuffle=False), per_tower_batch_size=2, epochs=1, remainder="short"
        ),
        tf.train.GradientDescentOptimizer(0.125),
        lt.devices.cpus(4),
        variables=lt.variables.LocalSGD(100),
        reduction=reduction,
    )
    copies = sorted((v for v in tf.local_variables() if "w/replica" in v.op.name), key=lambda v: v.op.name)
    history = []
    with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run:
        for _ in range(2):
            run()
            history.append(session.run(copies))
    after = [1 - 0.125 * np.mean(2 * (x - 1) * x) for x in values[:8].reshape([4, 2])]
    np.testing.assert_allclose(history[0], after, rtol=1e-12)
    x = values[8:]
    after[0] -= 0.125 * np.mean(2 * (after[0] * x - 1) * x)
    np.testing.assert_allclose(history[1], after, rtol=1e-12)
