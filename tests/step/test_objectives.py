"""Several objectives, trained jointly or alternating, against numpy."""
import time

import numpy as np
import pytest
from two_objectives import (
    BOTH,
    CONFIG,
    IN_TURN,
    ROWS,
    START,
    TOWERS,
    build,
    check,
    in_numpy,
    model_fn,
    objectives,
    values,
    variable,
)

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError


def test_joint_objectives_use_the_variables_from_before_the_step():
    """Each objective's gradients are computed from the variables before the step, in either order of the writes."""
    step = build(objectives())
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        for _ in range(7):
            run()
        check(session, [BOTH] * 7)
        assert session.run(step.global_step) == 7


def test_objectives_with_steps_alternate():
    step = build(objectives(generator=1, discriminator=5))
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        for _ in range(13):
            run()
        check(session, (IN_TURN * 3)[:13])
        assert session.run(step.global_step) == 13


def test_alternation_continues_at_the_global_step():
    step = build(objectives(generator=1, discriminator=5))
    with tf.Session(config=CONFIG) as session:
        with step.running(session) as run:
            for _ in range(4):
                run()
        with step.running(session) as run:
            for _ in range(5):
                run()
        check(session, (IN_TURN * 2)[:9])


def test_run_takes_the_name_of_an_objective():
    step = build(objectives(generator=1, discriminator=5))
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run(objective="generator")
        loss = run(step.objectives["discriminator"].loss, objective="discriminator")
        run(objective="generator")
        check(session, [("generator",), ("discriminator",), ("generator",)])
        x = ROWS.reshape([-1, 2]).mean(axis=0)
        before = in_numpy([("generator",)])
        expected = np.sum(x * before["generator"] * before["discriminator"] ** 2)
        np.testing.assert_allclose(loss, expected, rtol=1e-12)


def test_train_ops_in_a_monitored_session():
    step = build(objectives(generator=2, discriminator=1))
    ops = step.train_ops()
    with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=CONFIG) as session:
        for _ in range(5):
            session.run(next(ops))
        check(session.raw_session() if hasattr(session, "raw_session") else session, (
            [("discriminator",)] + [("generator",)] * 2 + [("discriminator",), ("generator",)]
        ))


def test_alternation_continues_after_a_restore(tmp_path):
    """4 steps with a copy of the variables per tower, 5 more from the checkpoint with shared ones."""

    def train(steps, strategy):
        with tf.Graph().as_default():
            step = build(objectives(generator=1, discriminator=5), variables=strategy)
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path), hooks=step.hooks, config=CONFIG, save_checkpoint_steps=100,
                save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None,
            ) as session:
                ops = step.train_ops(
                    session.run_step_fn(lambda step_context: step_context.session.run(step.global_step))
                )
                for _ in range(steps):
                    session.run(next(ops))
                return session.run_step_fn(lambda step_context: step_context.session.run(values()))

    train(4, lt.variables.Replicated())
    found = train(5, lt.variables.ParameterServer())
    expected = in_numpy((IN_TURN * 2)[:9])
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, err_msg=name)


def test_alternating_objectives_have_no_single_train_op():
    step = build(objectives(generator=1, discriminator=5))
    with pytest.raises(ArgumentError, match="alternate"):
        assert step.train_op
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        with pytest.raises(ArgumentError, match="no objective 'critic'.*'discriminator', 'generator'"):
            run(objective="critic")


def test_joint_objectives_cannot_be_run_alone():
    step = build(objectives())
    assert step.objectives["generator"].train_op is None
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        with pytest.raises(ArgumentError, match="give steps to each lt.Objective"):
            run(objective="generator")


def test_an_objective_has_its_own_reduction():
    """The generator's gradients are summed, the discriminator's averaged."""
    given = objectives()
    given[1] = given[1]._replace(reduction=lt.gradients.sum())
    step = build(given)
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run()
        u = session.run(values())["generator"]
    x = ROWS.reshape([-1, 2]).mean(axis=0)
    np.testing.assert_allclose(u, START["generator"] - 0.125 * TOWERS * 2 * x * START["generator"], rtol=1e-12)


def test_a_reduction_that_no_objective_uses_is_refused():
    given = [objective._replace(reduction=lt.gradients.sum()) for objective in objectives()]
    message = r"reduction is tree\(\), but every objective has its own \(discriminator: sum\(\), generator: sum\(\)\)"
    with pytest.raises(ArgumentError, match=message):
        build(given, reduction=lt.gradients.tree())


def test_an_objective_with_delayed_gradients_reads_the_variables_before_the_others_write():
    """The other write waits for this objective's slow towers, although its gradients are those of the previous step."""

    def late_model(batch, mode):
        def late(value):
            time.sleep(0.1)
            return value

        output = model_fn(batch, mode)
        with tf.control_dependencies([tf.py_func(late, [batch], tf.float64)]):
            u, v = [variable("generator/w").read_value(), variable("discriminator/w").read_value()]
        losses = dict(output.loss, discriminator=tf.reduce_mean(tf.reduce_sum(batch * u * v * v, axis=1)))
        return output._replace(loss=losses)

    given = objectives()
    given[0] = given[0]._replace(reduction=lt.gradients.chain(lt.gradients.mean(), lt.gradients.delayed()))
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        step = build(given, late_model)
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run()
        run()
        v = session.run(values())["discriminator"]
    # After two steps only the first one's gradient has been applied.
    np.testing.assert_allclose(v, in_numpy([BOTH])["discriminator"], rtol=1e-12)


def test_the_plan_lists_the_objectives():
    plan = build(objectives(generator=1, discriminator=5)).plan
    assert "objective discriminator: 1 variable, GradientDescentOptimizer, 5 steps in a row" in str(plan)
    assert {row.name: row.objective for row in plan.variables} == {
        "generator/w": "generator", "discriminator/w": "discriminator", "global_step": None
    }


def test_update_ops_run_with_their_objective():
    """Statistics in an objective's scope are updated in its own steps; those in no objective's scope in each step."""

    def counting(batch, mode):
        output = model_fn(batch, mode)
        for scope in ("generator", "discriminator", "shared"):
            with tf.variable_scope(scope):
                count = tf.get_variable("count", initializer=0.0, trainable=False)
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(count, 1.0))
        return output

    step = build(objectives(generator=1, discriminator=2), counting)
    counts = {v.op.name: v for v in tf.global_variables() if v.op.name.endswith("count")}
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        for _ in range(7):
            run()
        assert session.run(counts) == {"generator/count": 2, "discriminator/count": 5, "shared/count": 7}


def test_weight_decay_counts_in_its_objective_alone():
    """Decay of u alone, by get_variable(regularizer=), is in the generator's gradient, once, and in no other."""

    def decayed(batch, mode):
        with tf.variable_scope("generator"):
            u = variable("w", initializer=START["generator"], regularizer=lambda w: 0.5 * tf.reduce_sum(w * w))
        with tf.variable_scope("discriminator"):
            v = variable("w", initializer=START["discriminator"])
        both = tf.reduce_mean(tf.reduce_sum(batch * u * v, axis=1))
        return lt.TowerOutput(loss={"generator": both, "discriminator": -both})

    step = build(objectives(), decayed)
    x = ROWS.reshape([-1, 2]).mean(axis=0)
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        losses = run({name: objective.loss for name, objective in step.objectives.items()})
        found = session.run(values())
    u, v = START["generator"], START["discriminator"]
    np.testing.assert_allclose(found["generator"], u - 0.125 * (x * v + u), rtol=1e-12)
    np.testing.assert_allclose(found["discriminator"], v + 0.25 * x * u, rtol=1e-12)
    np.testing.assert_allclose(losses["generator"], np.sum(x * u * v) + 0.5 * np.sum(u * u), rtol=1e-12)
    np.testing.assert_allclose(losses["discriminator"], -np.sum(x * u * v), rtol=1e-12)


@pytest.mark.parametrize("per_row", [True, False], ids=["a vector", "a scalar"])
def test_padding_does_not_concern_an_objective_that_reads_no_examples(per_row):
    """Five examples on two towers of four: copies fill the batch, but the generator draws its own rows of noise."""

    def of_noise(batch, mode):
        with tf.variable_scope("generator"):
            u = variable("w", initializer=START["generator"])
        with tf.variable_scope("discriminator"):
            v = variable("w", initializer=START["discriminator"])
        noise_losses = tf.reduce_sum(tf.ones([7, 2], tf.float64) * u * u, axis=1)
        losses = {"generator": noise_losses if per_row else tf.reduce_mean(noise_losses)}
        return lt.TowerOutput(loss=dict(losses, discriminator=tf.reduce_sum(batch["x"] * v * v, axis=1)))

    rows = np.arange(10.0).reshape([5, 2])
    inputs = lt.inputs.feed(
        lt.Examples.from_arrays({"x": rows}, shuffle=False), per_tower_batch_size=4, epochs=1, remainder="pad"
    )
    step = lt.build_train_step(of_noise, inputs, objectives(), lt.devices.cpus(2))
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run()
        found = session.run(values())
    u, v = START["generator"], START["discriminator"]
    np.testing.assert_allclose(found["generator"], u - 0.125 * 2 * u, rtol=1e-12)
    np.testing.assert_allclose(found["discriminator"], v - 0.25 * rows.mean(axis=0) * 2 * v, rtol=1e-12)
