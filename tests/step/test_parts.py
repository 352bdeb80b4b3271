"""Several losses and optimizers per tower: who trains what, together or in turns, checked against numpy."""
import time

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError

TOWERS = 3
CONFIG = lt.session_config(logical_cpus=TOWERS)
ROWS = np.random.RandomState(0).normal(size=[TOWERS, 4, 2])
# Exact in float32, which a learning rate becomes.
RATES = {"generator": 0.125, "discriminator": 0.25}
START = {"generator": np.array([1.0, -2.0]), "discriminator": np.array([0.5, 3.0])}


def variable(name, **options):
    return tf.get_variable(name, dtype=tf.float64, **options)


def model_fn(batch, mode):
    """g = sum(x (u u - v)), d = sum(x u v v): each loss depends on the other part's variable too."""
    with tf.variable_scope("generator"):
        u = variable("w", initializer=START["generator"])
    with tf.variable_scope("discriminator"):
        v = variable("w", initializer=START["discriminator"])
    of_generator = tf.reduce_mean(tf.reduce_sum(batch * (u * u - v), axis=1))
    of_discriminator = tf.reduce_mean(tf.reduce_sum(batch * u * v * v, axis=1))
    return lt.TowerOutput(loss={"generator": of_generator, "discriminator": of_discriminator})


def parts(**steps):
    return [
        lt.Part(name, tf.train.GradientDescentOptimizer(RATES[name]), name, steps.get(name))
        for name in ("discriminator", "generator")
    ]


def build(optimizer, model_fn=model_fn, **options):
    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(rows) for rows in ROWS])
    return lt.build_train_step(model_fn, inputs, optimizer, lt.devices.cpus(TOWERS), **options)


def in_numpy(schedule):
    """Returns the two variables after steps that each run the named parts at the same time."""
    x = ROWS.reshape([-1, 2]).mean(axis=0)
    u, v = START["generator"].copy(), START["discriminator"].copy()
    for names in schedule:
        of_u, of_v = 2 * x * u, 2 * x * u * v
        if "generator" in names:
            u = u - RATES["generator"] * of_u
        if "discriminator" in names:
            v = v - RATES["discriminator"] * of_v
    return {"generator": u, "discriminator": v}


def values():
    return {each.op.name.split("/")[0]: each for each in tf.trainable_variables()}


def check(session, schedule):
    found, expected = session.run(values()), in_numpy(schedule)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, err_msg=name)


BOTH = ("generator", "discriminator")
IN_TURN = [("discriminator",)] * 5 + [("generator",)]


def test_together():
    """Each part's gradients are of the variables before the step, whichever is written first."""
    step = build(parts())
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        for _ in range(7):
            run()
        check(session, [BOTH] * 7)
        assert session.run(step.global_step) == 7


def test_in_turns():
    step = build(parts(generator=1, discriminator=5))
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        for _ in range(13):
            run()
        check(session, (IN_TURN * 3)[:13])
        assert session.run(step.global_step) == 13


def test_turns_go_on_where_they_stopped():
    step = build(parts(generator=1, discriminator=5))
    with tf.Session(config=CONFIG) as session:
        with step.running(session) as run:
            for _ in range(4):
                run()
        with step.running(session) as run:
            for _ in range(5):
                run()
        check(session, (IN_TURN * 2)[:9])


def test_a_part_by_name():
    step = build(parts(generator=1, discriminator=5))
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run(part="generator")
        loss = run(step.parts["discriminator"].loss, part="discriminator")
        run(part="generator")
        check(session, [("generator",), ("discriminator",), ("generator",)])
        x = ROWS.reshape([-1, 2]).mean(axis=0)
        before = in_numpy([("generator",)])
        expected = np.sum(x * before["generator"] * before["discriminator"] ** 2)
        np.testing.assert_allclose(loss, expected, rtol=1e-12)


def test_in_a_loop_of_ones_own():
    step = build(parts(generator=2, discriminator=1))
    ops = step.train_ops()
    with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=CONFIG) as session:
        for _ in range(5):
            session.run(next(ops))
        check(session.raw_session() if hasattr(session, "raw_session") else session, (
            [("discriminator",)] + [("generator",)] * 2 + [("discriminator",), ("generator",)]
        ))


def test_turns_go_on_after_a_restore(tmp_path):
    """4 steps with a copy of the variables per tower, 5 more from the checkpoint with shared ones."""

    def train(steps, strategy):
        with tf.Graph().as_default():
            step = build(parts(generator=1, discriminator=5), variables=strategy)
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


def test_there_is_no_single_operation_of_turns():
    step = build(parts(generator=1, discriminator=5))
    with pytest.raises(ArgumentError, match="take turns"):
        assert step.train_op
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        with pytest.raises(ArgumentError, match="no part 'critic'.*'discriminator', 'generator'"):
            run(part="critic")


def test_parts_together_cannot_be_run_alone():
    step = build(parts())
    assert step.parts["generator"].train_op is None
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        with pytest.raises(ArgumentError, match="give each lt.Part its steps"):
            run(part="generator")


def test_a_reduction_per_part():
    """The generator's gradients are summed, the discriminator's averaged."""
    given = parts()
    given[1] = given[1]._replace(reduction=lt.gradients.sum())
    step = build(given)
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run()
        u = session.run(values())["generator"]
    x = ROWS.reshape([-1, 2]).mean(axis=0)
    np.testing.assert_allclose(u, START["generator"] - 0.125 * TOWERS * 2 * x * START["generator"], rtol=1e-12)


def test_a_reduction_that_no_part_would_take_is_refused():
    given = [part._replace(reduction=lt.gradients.sum()) for part in parts()]
    message = r"reduction is tree\(\), but every part has one of its own \(discriminator: sum\(\), generator: sum\(\)\)"
    with pytest.raises(ArgumentError, match=message):
        build(given, reduction=lt.gradients.tree())


def test_a_deferred_part_reads_what_the_others_have_not_written():
    """Its towers are late: what the other part writes must wait for them, though their gradients come a step later."""

    def late_model(batch, mode):
        def late(value):
            time.sleep(0.1)
            return value

        output = model_fn(batch, mode)
        with tf.control_dependencies([tf.py_func(late, [batch], tf.float64)]):
            u, v = [variable("generator/w").read_value(), variable("discriminator/w").read_value()]
        losses = dict(output.loss, discriminator=tf.reduce_mean(tf.reduce_sum(batch * u * v * v, axis=1)))
        return output._replace(loss=losses)

    given = parts()
    given[0] = given[0]._replace(reduction=lt.gradients.chain(lt.gradients.mean(), lt.gradients.deferred()))
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        step = build(given, late_model)
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run()
        run()
        v = session.run(values())["discriminator"]
    # Of both steps the first one's gradient alone has been applied.
    np.testing.assert_allclose(v, in_numpy([BOTH])["discriminator"], rtol=1e-12)


def test_the_plan_tells_the_parts():
    plan = build(parts(generator=1, discriminator=5)).plan
    assert "part discriminator: 1 variable, GradientDescentOptimizer, 5 steps in a row" in str(plan)
    assert {row.name: row.part for row in plan.variables} == {
        "generator/w": "generator", "discriminator/w": "discriminator", "global_step": None
    }


def test_update_ops_go_with_their_part():
    """Each part's statistics move in the part's own steps; what lies in no part's scope moves in each step."""

    def counting(batch, mode):
        output = model_fn(batch, mode)
        for scope in ("generator", "discriminator", "shared"):
            with tf.variable_scope(scope):
                count = tf.get_variable("count", initializer=0.0, trainable=False)
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(count, 1.0))
        return output

    step = build(parts(generator=1, discriminator=2), counting)
    counts = {v.op.name: v for v in tf.global_variables() if v.op.name.endswith("count")}
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        for _ in range(7):
            run()
        assert session.run(counts) == {"generator/count": 2, "discriminator/count": 5, "shared/count": 7}


def test_weight_decay_goes_with_its_part():
    """Decay of u alone, by get_variable(regularizer=): it is in the generator's gradient once, in no other."""

    def decayed(batch, mode):
        with tf.variable_scope("generator"):
            u = variable("w", initializer=START["generator"], regularizer=lambda w: 0.5 * tf.reduce_sum(w * w))
        with tf.variable_scope("discriminator"):
            v = variable("w", initializer=START["discriminator"])
        both = tf.reduce_mean(tf.reduce_sum(batch * u * v, axis=1))
        return lt.TowerOutput(loss={"generator": both, "discriminator": -both})

    step = build(parts(), decayed)
    x = ROWS.reshape([-1, 2]).mean(axis=0)
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        losses = run({name: part.loss for name, part in step.parts.items()})
        found = session.run(values())
    u, v = START["generator"], START["discriminator"]
    np.testing.assert_allclose(found["generator"], u - 0.125 * (x * v + u), rtol=1e-12)
    np.testing.assert_allclose(found["discriminator"], v + 0.25 * x * u, rtol=1e-12)
    np.testing.assert_allclose(losses["generator"], np.sum(x * u * v) + 0.5 * np.sum(u * u), rtol=1e-12)
    np.testing.assert_allclose(losses["discriminator"], -np.sum(x * u * v), rtol=1e-12)


def sgd():
    return tf.train.GradientDescentOptimizer(0.1)


SHARED = tf.train.AdamOptimizer(0.1)


def of_discriminator(variables="discriminator"):
    return lt.Part("discriminator", sgd(), variables)


@pytest.mark.parametrize(
    "make, error, message",
    [
        (
            lambda: [lt.Part("generator", sgd(), "generator"), lt.Part("discriminator", sgd(), ["discriminator", "g"])],
            None, None,
        ),
        (
            lambda: [lt.Part("generator", sgd(), "generator"), of_discriminator(["discriminator", "generator"])],
            TowerError, "'generator/w' belongs to the parts 'generator', 'discriminator'",
        ),
        (
            lambda: [lt.Part("generator", sgd(), "gen"), of_discriminator()],
            TowerError, "the part 'generator' has no variables.*'gen'",
        ),
        (
            lambda: [lt.Part("generator", sgd(), "generator")],
            TowerError, "the parts are 'generator', but tower 0 returned",
        ),
        (
            lambda: [lt.Part("generator", sgd()), of_discriminator()],
            ArgumentError, "the part 'generator' has no variables: say which",
        ),
        (
            lambda: [lt.Part("generator", sgd(), "generator", 1), of_discriminator()],
            ArgumentError, "only 'generator' of the parts",
        ),
        (lambda: [lt.Part("generator", sgd(), "generator", 0), of_discriminator()], ArgumentError, "steps=0"),
        (lambda: [of_discriminator()] * 2, ArgumentError, "each needs a name of its own"),
        (
            lambda: [lt.Part("generator", tf.train.AdamOptimizer, "generator"), of_discriminator()],
            ArgumentError, "the optimizer of part 'generator' is the class AdamOptimizer",
        ),
        (lambda: [sgd(), sgd()], ArgumentError, "one of lt.Part"),
        (of_discriminator, ArgumentError, "the part 'discriminator' alone: give a list"),
        (
            lambda: [lt.Part("the generator", sgd(), "generator"), of_discriminator()],
            ArgumentError, "the part 'the generator': its name becomes one of operations",
        ),
        (sgd, TowerError, "tower 0 returned the losses 'generator', 'discriminator': give the optimizer of each"),
        (
            lambda: [lt.Part("generator", sgd(), 5), of_discriminator()],
            ArgumentError, "the part 'generator' has variables=5: give a variable scope, such as variables='generator'",
        ),
        (
            lambda: [lt.Part("generator", sgd(), tf.get_variable("lone", [2])), of_discriminator()],
            ArgumentError, "'generator' has variables=<tf.Variable 'lone.*: give .* or a list of scopes or variables",
        ),
        (
            lambda: [lt.Part("generator", sgd(), []), of_discriminator()],
            ArgumentError, r"the part 'generator' has variables=\[\], and would train nothing: name what it trains",
        ),
        (lambda: [lt.Part("generator", sgd(), ""), of_discriminator()], ArgumentError, "variables='', and would train"),
        (
            lambda: [lt.Part("generator", sgd(), ["generator", 5]), of_discriminator()],
            ArgumentError, "the part 'generator' has 5 among its variables: give variable scopes, such as 'generator'",
        ),
        (
            lambda: [lt.Part("generator", sgd(), "generator", True), of_discriminator()],
            ArgumentError, "the part 'generator' has steps=True",
        ),
        (
            lambda: [of_discriminator()._replace(optimizer=SHARED, name=name, variables=name) for name in BOTH],
            ArgumentError, "the parts 'generator', 'discriminator' have one AdamOptimizer together",
        ),
        (
            lambda: [lt.Part(name, lambda global_step: SHARED, name) for name in BOTH],
            ArgumentError, "the parts 'generator', 'discriminator' have one AdamOptimizer together",
        ),
    ],
    ids=[
        "fits", "overlap", "empty", "no loss", "no variables", "some turns", "no steps", "one name", "class",
        "optimizers", "one part", "a space", "one", "a number", "a variable", "no list of any", "no name",
        "a number in the list", "true steps", "a shared optimizer", "a shared optimizer by functions",
    ],
)
def test_what_does_not_fit(make, error, message):
    if error is None:
        build(make())
        return
    with pytest.raises(error, match=message):
        build(make())


def test_a_forgotten_variable():
    def with_more(batch, mode):
        output = model_fn(batch, mode)
        extra = variable("extra/w", initializer=np.zeros([2]))
        return output._replace(loss={name: loss + tf.reduce_sum(extra) for name, loss in output.loss.items()})

    with pytest.raises(TowerError, match="no part trains 'extra/w'"):
        build(parts(), with_more)


def test_what_is_left_out_on_purpose_is_not_forgotten():
    def with_more(batch, mode):
        output = model_fn(batch, mode)
        extra = variable("extra/w", initializer=np.zeros([2]))
        return output._replace(loss={name: loss + tf.reduce_sum(extra) for name, loss in output.loss.items()})

    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True):
        variable("generator/w", initializer=START["generator"])
        variable("discriminator/w", initializer=START["discriminator"])
        kept = list(tf.trainable_variables())
        step = build(parts(), with_more, var_list=kept)
    assert {variable.op.name for _, variable in step.gradients} == {"generator/w", "discriminator/w"}


def test_variables_by_list():
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True):
        u = variable("generator/w", initializer=START["generator"])
        v = variable("discriminator/w", initializer=START["discriminator"])
        given = [lt.Part("generator", sgd(), [u]), lt.Part("discriminator", sgd(), [v])]
        step = build(given)
    assert {name: [each.op.name for each in part.variables] for name, part in step.parts.items()} == {
        "generator": ["generator/w"], "discriminator": ["discriminator/w"]
    }


def test_a_partitioned_variable_is_its_pieces():
    with tf.variable_scope(
        tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True, partitioner=tf.fixed_size_partitioner(2)
    ):
        u = variable("generator/w", shape=[2], initializer=tf.ones_initializer())
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE, use_resource=True):
        v = variable("discriminator/w", initializer=START["discriminator"])

    def two(batch, mode):
        both = {"generator": tf.reduce_sum(batch * tf.convert_to_tensor(u), 1), "discriminator": tf.square(v)}
        return lt.TowerOutput(loss={name: tf.reduce_mean(loss) for name, loss in both.items()})

    step = build([lt.Part("generator", sgd(), [u]), lt.Part("discriminator", sgd(), [v])], two)
    assert [each.op.name for each in step.parts["generator"].variables] == ["generator/w/part_0", "generator/w/part_1"]


@pytest.mark.parametrize("per_row", [True, False], ids=["a vector", "a scalar"])
def test_a_part_that_reads_no_example_needs_no_loss_per_example(per_row):
    """Five examples on two towers of four: copies fill the batch, but the generator makes its own rows of noise."""

    def of_noise(batch, mode):
        with tf.variable_scope("generator"):
            u = variable("w", initializer=START["generator"])
        with tf.variable_scope("discriminator"):
            v = variable("w", initializer=START["discriminator"])
        made = tf.reduce_sum(tf.ones([7, 2], tf.float64) * u * u, axis=1)
        losses = {"generator": made if per_row else tf.reduce_mean(made)}
        return lt.TowerOutput(loss=dict(losses, discriminator=tf.reduce_sum(batch["x"] * v * v, axis=1)))

    rows = np.arange(10.0).reshape([5, 2])
    inputs = lt.inputs.feed(
        lt.Examples.from_arrays({"x": rows}, shuffle=False), per_tower_batch_size=4, epochs=1, remainder="pad"
    )
    step = lt.build_train_step(of_noise, inputs, parts(), lt.devices.cpus(2))
    with tf.Session(config=CONFIG) as session, step.running(session) as run:
        run()
        found = session.run(values())
    u, v = START["generator"], START["discriminator"]
    np.testing.assert_allclose(found["generator"], u - 0.125 * 2 * u, rtol=1e-12)
    np.testing.assert_allclose(found["discriminator"], v - 0.25 * rows.mean(axis=0) * 2 * v, rtol=1e-12)
