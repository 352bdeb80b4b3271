"""Towers with copies of the variables compute what one device computes, with the same variable names."""
import nets
import numpy as np
import pytest
from copied_towers import DEVICES, OPTIMIZERS, assert_near, by_name, global_values, one_device, towers_step
from diagonals import diagonals

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.variables import LocalSGD, Replicated, check_copies

DECAYS = [nets.no_decay, nets.get_variable_decay, nets.tutorial_decay, nets.total_loss_decay]


# For optimizers linear in the gradient, averaging gradients or averaging variables is the same.
SAME_AS_ONE_DEVICE = [
    (Replicated(), "sgd"),
    (Replicated(check_every=1), "momentum"),
    (Replicated(check_every=2), "adam"),
    (LocalSGD(sync_every=1), "sgd"),
    (LocalSGD(sync_every=1), "momentum"),
]


@pytest.mark.parametrize("case, devices, variable_kind", diagonals(2, SAME_AS_ONE_DEVICE, DEVICES, ["resource", "ref"]))
def test_steps_match_one_device(case, devices, variable_kind):
    strategy, optimizer = case
    expected = one_device("dense", optimizer, nets.get_variable_decay, devices, steps=5)
    step = towers_step(strategy, "dense", optimizer, nets.get_variable_decay, devices, variable_kind == "resource")
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(5):
            run()
        assert_near(global_values(session), expected)
        check_copies(session)


@pytest.mark.parametrize(
    "case, kind, decay",
    diagonals(2, [(Replicated(), "momentum"), (LocalSGD(1), "sgd")], ["dense", "conv", "embedding"], DECAYS),
)
def test_every_net_and_every_kind_of_weight_decay(case, kind, decay):
    strategy, optimizer = case
    expected = one_device(kind, optimizer, decay, DEVICES[0], steps=3)
    step = towers_step(strategy, kind, optimizer, decay, DEVICES[0])
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(3):
            run()
        assert_near(global_values(session), expected)


@pytest.mark.parametrize("strategy", [Replicated(), LocalSGD(2)], ids=repr)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_checkpoint_has_the_variable_names_of_one_device(strategy, optimizer, tmp_path):
    expected = one_device("dense", optimizer, nets.no_decay, DEVICES[0], steps=1)
    step = towers_step(strategy, "dense", optimizer, nets.no_decay, DEVICES[0])
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=step.hooks, config=nets.config(2)
    ) as session:
        session.run(step.train_op)
    saved = dict(tf.train.list_variables(str(tmp_path)))
    assert saved == {name: list(np.shape(value)) for name, value in expected.items()}


def test_variables_of_an_optimizer_for_all_variables_are_updated_once():
    step = towers_step(Replicated(), "dense", "adam", nets.no_decay, DEVICES[1])
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(3):
            run()
        powers = [variable for variable in tf.global_variables() if "beta1_power" in variable.op.name]
        assert session.run(powers) == pytest.approx([0.9**4])


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), LocalSGD(1)], ids=repr)
def test_variables_created_outside_the_towers_get_one_gradient(strategy):
    scale = tf.get_variable("scale", [], tf.float64, tf.ones_initializer())

    def model_fn(batch, mode):
        weights = tf.get_variable("w", [], tf.float64, tf.ones_initializer())
        return lt.TowerOutput(loss=batch * scale + 0.0 * weights)

    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(1.0, tf.float64), tf.constant(3.0, tf.float64)])
    step = lt.build_train_step(model_fn, inputs, tf.train.MomentumOptimizer(0.1, 0.9), DEVICES[0], strategy)
    assert "scale/Momentum" in [variable.op.name for variable in tf.global_variables()]
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        run()
        # Gradient 2 twice: 1 - 0.1 * 2 - 0.1 * (0.9 * 2 + 2)
        assert session.run(scale) == pytest.approx(0.42)


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), LocalSGD(2)], ids=repr)
@pytest.mark.parametrize("steps", [None, 2], ids=["jointly", "alternating"])
def test_objectives_with_copies_train_independently(steps, strategy):
    """Each objective's variables change by its own loss alone, and the copies of each are synchronized."""

    def model_fn(batch, mode):
        losses = {}
        for name, rate in (("a", 1.0), ("b", 2.0)):
            weights = tf.get_variable(name + "/w", [], tf.float64, tf.zeros_initializer())
            losses[name] = rate * batch * weights
        return lt.TowerOutput(loss=losses)

    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(1.0, tf.float64), tf.constant(3.0, tf.float64)])
    objectives = [
        lt.Objective("a", tf.train.GradientDescentOptimizer(0.25), "a", steps=steps),
        lt.Objective("b", tf.train.MomentumOptimizer(0.25, 0.5), "b", steps=steps),
    ]
    step = lt.build_train_step(model_fn, inputs, objectives, DEVICES[0], strategy)
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(2 if steps is None else 4):
            run()
        assert session.run(step.global_step) == (2 if steps is None else 4)
        variables = step.towers[0].variables
        found = session.run([variables.copies_of(by_name(name)) for name in ("a/w", "b/w", "b/w/Momentum")])
    # Mean gradients 2 and 4, twice each; both optimizers are linear, so synchronizing after two steps is the same.
    np.testing.assert_allclose(found, [[-1.0] * 2, [-2.5] * 2, [6.0] * 2], rtol=1e-12)


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), LocalSGD(1)], ids=repr)
def test_a_validation_tower_is_synchronized(strategy):
    train = lt.inputs.from_tensors(per_tower=[tf.constant(1.0, tf.float64), tf.constant(3.0, tf.float64)])
    validation = lt.inputs.from_tensors(per_tower=[tf.constant(10.0, tf.float64)])

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=batch * tf.get_variable("w", [], tf.float64, tf.ones_initializer()))

    step = lt.build_train_step(
        model_fn,
        lt.inputs.with_validation_tower(train, validation),
        tf.train.GradientDescentOptimizer(0.25),
        DEVICES[2],
        strategy,
    )
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        losses = [run(step.validation_loss) for _ in range(3)]
        copies = session.run(step.towers[0].variables.copies_of(by_name("w")))
    # Of the variables before each step: 1, 1 - 0.25 * 2, ...; 10 is not in the mean of 1 and 3.
    np.testing.assert_allclose(losses, [10.0, 5.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(copies, [-0.5] * 3)
