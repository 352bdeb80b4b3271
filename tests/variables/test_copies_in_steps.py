"""Towers with copies of the variables compute what one device does, or what local SGD does, under the same names."""
import nets
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.variables import Independent, MeanSaver, Replicated, check_copies, synchronize

PER_TOWER = 4
DTYPE = np.float64

# Rates that float32 holds exactly: TensorFlow rounds them to it in some of its updates of float64.
OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.25),
    "momentum": lambda: tf.train.MomentumOptimizer(0.125, 0.75),
    "adam": lambda: tf.train.AdamOptimizer(2.0**-6),
}
DECAYS = [nets.no_decay, nets.get_variable_decay, nets.tutorial_decay, nets.total_loss_decay]
# Two towers on two devices, four on two, and unevenly many per device.
DEVICES = [["/cpu:0", "/cpu:1"], ["/cpu:0", "/cpu:1", "/cpu:0", "/cpu:1"], ["/cpu:1", "/cpu:0", "/cpu:0"]]


def options(kind, optimizer, decay, devices):
    data = nets.examples(kind, PER_TOWER * len(devices), DTYPE)
    model_fn = nets.model(kind, DTYPE, weights=decay, collect=decay is nets.tutorial_decay)
    return data, model_fn, OPTIMIZERS[optimizer]()


def towers_step(strategy, kind, optimizer, decay, devices, variable_kind="resource"):
    data, model_fn, made = options(kind, optimizer, decay, devices)
    split = [np.split(data[key], len(devices)) for key in ("x", "y")]
    batches = [{"x": tf.constant(x), "y": tf.constant(y)} for x, y in zip(*split)]
    inputs = lt.inputs.from_tensors(per_tower=batches)
    return lt.build_train_step(model_fn, inputs, made, devices, strategy, variable_kind=variable_kind)


def one_device(kind, optimizer, decay, devices, steps):
    """Returns name -> value after `steps` steps of plain TensorFlow on one device, on all towers' examples."""
    with tf.Graph().as_default():
        data, model_fn, made = options(kind, optimizer, decay, devices)
        output = model_fn({key: tf.constant(value) for key, value in data.items()}, lt.TRAIN)
        loss = output.loss if output.loss is not None else tf.add_n(tf.get_collection("losses"))
        if decay is nets.get_variable_decay:
            loss = loss + tf.losses.get_regularization_loss()
        global_step = tf.train.get_or_create_global_step()
        train_op = made.minimize(loss, global_step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                session.run(train_op)
            return session.run({variable.op.name: variable for variable in tf.global_variables()})


def assert_near(found, expected, bound=1e-12):
    assert set(found) == set(expected)
    for name, value in expected.items():
        distance = np.max(np.abs(found[name] - value)) if np.size(value) else 0.0
        assert distance <= bound * max(np.max(np.abs(value)), 1e-3), name


def global_values(session):
    return session.run({variable.op.name: variable for variable in tf.global_variables()})


# What is linear in the gradient is the same, whether gradients or what became of them are averaged.
SAME_AS_ONE_DEVICE = [
    (Replicated(), "sgd"),
    (Replicated(check_every=1), "momentum"),
    (Replicated(check_every=2), "adam"),
    (Independent(sync_every=1), "sgd"),
    (Independent(sync_every=1), "momentum"),
]


@pytest.mark.parametrize("variable_kind", ["resource", "ref"])
@pytest.mark.parametrize("devices", [DEVICES[0], pytest.param(DEVICES[1], marks=pytest.mark.slow), DEVICES[2]], ids=len)
@pytest.mark.parametrize("strategy, optimizer", SAME_AS_ONE_DEVICE, ids=str)
def test_steps_are_those_of_one_device(strategy, optimizer, devices, variable_kind):
    expected = one_device("dense", optimizer, nets.get_variable_decay, devices, steps=5)
    step = towers_step(strategy, "dense", optimizer, nets.get_variable_decay, devices, variable_kind)
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(5):
            run()
        assert_near(global_values(session), expected)
        check_copies(session)


@pytest.mark.parametrize("decay", DECAYS, ids=lambda decay: decay.__name__)
@pytest.mark.parametrize("kind", ["dense", "conv", "embedding"])
@pytest.mark.parametrize("strategy, optimizer", [(Replicated(), "momentum"), (Independent(1), "sgd")], ids=str)
def test_every_net_and_every_way_to_decay(strategy, optimizer, kind, decay):
    expected = one_device(kind, optimizer, decay, DEVICES[0], steps=3)
    step = towers_step(strategy, kind, optimizer, decay, DEVICES[0])
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(3):
            run()
        assert_near(global_values(session), expected)


@pytest.mark.parametrize("strategy", [Replicated(), Independent(2)], ids=repr)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_checkpoint_has_the_names_of_one_device(strategy, optimizer, tmp_path):
    expected = one_device("dense", optimizer, nets.no_decay, DEVICES[0], steps=1)
    step = towers_step(strategy, "dense", optimizer, nets.no_decay, DEVICES[0])
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=step.hooks, config=nets.config(2)
    ) as session:
        session.run(step.train_op)
    saved = dict(tf.train.list_variables(str(tmp_path)))
    assert saved == {name: list(np.shape(value)) for name, value in expected.items()}


def test_what_an_optimizer_keeps_for_all_variables_moves_once():
    step = towers_step(Replicated(), "dense", "adam", nets.no_decay, DEVICES[1])
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(3):
            run()
        powers = [variable for variable in tf.global_variables() if "beta1_power" in variable.op.name]
        assert session.run(powers) == pytest.approx([0.9**4])


def written_alone(step, variable, tower, value):
    return tf.assign(step.towers[tower].variables.own(tower, variable), value)


@pytest.mark.parametrize("variable_kind", ["resource", "ref"])
def test_a_copy_that_drifts_is_named(variable_kind):
    step = towers_step(Replicated(check_every=3), "dense", "momentum", nets.no_decay, DEVICES[1], variable_kind)
    bias = [variable for variable in tf.trainable_variables() if variable.op.name == "b1"][0]
    slot = [variable for variable in tf.global_variables() if variable.op.name == "b1/Momentum"][0]
    spoil = [tf.assign_add(step.towers[0].variables.own(2, bias), [0.25] + [0.0] * 15),
             tf.assign_add(step.towers[0].variables.own(3, slot), [1.0] * 16)]
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        check_copies(session)
        session.run(spoil)
        run()
        message = "tower 2's copy of 'b1' differs from it in 1 of 16 numbers, by at most 0.25.*tower 3's copy of 'b1"
        with pytest.raises(TowerError, match=message):
            run()
        with pytest.raises(TowerError, match="tower 3's copy of 'b1/Momentum' differs from it in 16 of 16 numbers"):
            check_copies(session)
        synchronize(session)
        check_copies(session)
        run()


DRIFTS = [
    (np.float32, [1.0, np.nan], [1.0, np.nan], None),
    (np.float64, [1.0, np.nan], [np.nan, np.nan], "in 1 of 2 numbers, by at most nan"),
    (np.float32, [0.0, 1.0], [-0.0, 1.0], "in 1 of 2 numbers, by at most 0"),
    (np.float64, [1.0, 1.0], [1.0, np.nextafter(1.0, 2.0)], "in 1 of 2 numbers, by at most 2.22e-16"),
    (np.float16, [1.0, np.nan], [1.5, np.nan], "by at most 0.5"),
    (np.int64, [2**62, 0], [2**62 + 1, 0], "in 1 of 2 numbers"),
    (np.int32, [1, 2], [1, 4], "by at most 2"),
    (np.uint8, [1, 2], [1, 2], None),
    (np.bool_, [True, False], [True, True], "in 1 of 2 numbers, by at most 1"),
    (np.complex64, [1j, 0], [1j, 1], "by at most 1"),
]


@pytest.mark.parametrize("dtype, tower_0, tower_1, message", DRIFTS, ids=lambda value: getattr(value, "__name__", "-"))
def test_equal_means_every_bit_but_for_nan(dtype, tower_0, tower_1, message):
    def model_fn(batch, mode):
        tf.get_variable("v", initializer=np.zeros([2], dtype), trainable=False)
        return lt.TowerOutput(loss=batch * tf.get_variable("w", []))

    towers = lt.replicate(model_fn, [tf.constant(1.0)] * 2, DEVICES[0], Replicated())
    variable = [each for each in tf.global_variables() if each.op.name == "v"][0]
    values = zip(towers[0].variables.copies_of(variable), [tower_0, tower_1])
    write = [tf.assign(copy, np.array(value, dtype)) for copy, value in values]
    with tf.Session(config=nets.config(2)) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(write)
        if message is None:
            check_copies(session)
        else:
            with pytest.raises(TowerError, match="tower 1's copy of 'v' differs from it.*" + message):
                check_copies(session)


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), Independent(10)], ids=repr)
def test_copies_follow_what_is_restored(strategy, tmp_path):
    """Another run's checkpoint, slots included, comes into every copy at the start of a session."""
    with tf.Graph().as_default():
        first = towers_step(Replicated(), "dense", "momentum", nets.no_decay, DEVICES[0])
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), hooks=first.hooks, config=nets.config(2)
        ) as session:
            for _ in range(3):
                session.run(first.train_op)
    saved = {name: tf.train.load_variable(str(tmp_path), name) for name, _ in tf.train.list_variables(str(tmp_path))}
    step = towers_step(strategy, "dense", "momentum", nets.no_decay, DEVICES[1])
    variables = step.towers[0].variables
    copies = {variable.op.name: variables.copies_of(variable) for variable in tf.global_variables()}
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=step.hooks, config=nets.config(2)
    ) as session:
        for name, values in session.run(copies).items():
            for value in values:
                np.testing.assert_array_equal(value, saved[name])
        assert {name for name in copies if copies[name]} == set(saved) - {"global_step"}
        session.run(step.train_op)


def test_a_restore_in_the_middle_of_a_session_needs_synchronize(tmp_path):
    step = towers_step(Replicated(), "dense", "momentum", nets.no_decay, DEVICES[0])
    saver = tf.train.Saver()
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        run()
        path = saver.save(session, str(tmp_path / "own"))
        run()
        saver.restore(session, path)
        with pytest.raises(TowerError, match="have drifted apart"):
            check_copies(session)
        synchronize(session)
        check_copies(session)


def test_on_request_in_a_monitored_session():
    step = towers_step(Replicated(), "dense", "momentum", nets.no_decay, DEVICES[0])
    spoil = written_alone(step, by_name("b1"), 1, np.ones([16]))

    class Forbidden(tf.train.SessionRunHook):
        allowed = True

        def before_run(self, run_context):
            assert self.allowed, "a run of the hooks' own"

    forbidden = Forbidden()
    with tf.train.MonitoredTrainingSession(hooks=step.hooks + [forbidden], config=nets.config(2)) as session:
        session.run([step.train_op])
        session.run(spoil)
        forbidden.allowed = False
        with pytest.raises(TowerError, match="tower 1's copy of 'b1'"):
            check_copies(session)
        synchronize(session)
        check_copies(session)


def test_a_finalized_graph_without_the_hook():
    towers_step(Replicated(), "dense", "sgd", nets.no_decay, DEVICES[0])
    tf.get_default_graph().finalize()
    with tf.Session(config=nets.config(2)) as session:
        with pytest.raises(ArgumentError, match="the graph is finalized.*let the step's hooks take part"):
            synchronize(session)


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
        Independent(sync_every),
        variable_kind=variable_kind,
    )
    return step, x, y


def by_name(name):
    return [variable for variable in tf.global_variables() if variable.op.name == name][0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.complex64], ids=lambda dtype: dtype.__name__)
def test_what_nothing_trains_stays_as_it_is_when_towers_meet(dtype):
    """The sum of three equal numbers, times a third, can be another number."""
    values = np.append(np.random.RandomState(0).normal(size=[500]), [np.inf, -np.inf, 0.0]).astype(dtype)

    def model_fn(batch, mode):
        tf.get_variable("frozen", initializer=values, trainable=False)
        return lt.TowerOutput(loss=batch * tf.get_variable("w", []))

    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(float(tower)) for tower in range(3)])
    step = lt.build_train_step(
        model_fn, inputs, tf.train.GradientDescentOptimizer(0.1), ["/cpu:0"] * 3, Independent(sync_every=1)
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


@pytest.mark.parametrize("strategy", [Independent(1), lt.variables.Asynchronous()], ids=repr)
@pytest.mark.parametrize("lacks", [0, 1])
def test_the_tower_that_lacks_a_gradient_is_named(lacks, strategy):
    with pytest.raises(TowerError, match="tower {} has no gradient for 'v'".format(lacks)):
        partly_trained(lacks, strategy)


@pytest.mark.parametrize("lacks", [0, 1])
def test_a_variable_that_only_some_towers_train(lacks):
    """With on_missing="drop" the tower without a gradient leaves its copy as it is, and has no slot; then they meet."""
    step = partly_trained(lacks, Independent(1), on_missing="drop")
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
        # Saving leaves the copies as they are, as the steps after it have shown.
        path = str(tmp_path / "model.ckpt-{}".format(at))
        for name, wanted in zip(["w", "w/Momentum", "statistic"], expected[at - 1]):
            np.testing.assert_allclose(tf.train.load_variable(path, name), np.mean(wanted, axis=0), rtol=1e-12)
        assert tf.train.load_variable(path, "count") == expected[at - 1][3][0]


def test_the_plain_variables_hold_the_mean_when_a_session_ends():
    x, y, initial = linear_towers(2, 2)
    (_, expected) = local_sgd(x, y, initial, 100)
    step, x_of, y_of = linear_step(initial, 2, 100, "resource")
    with tf.Session(config=nets.config(2)) as session:
        with step.running(session) as run:
            for number in range(2):
                run(feed_dict=dict(zip(x_of + y_of, list(x[number]) + list(y[number]))))
            np.testing.assert_array_equal(session.run(by_name("w")), initial)
        np.testing.assert_allclose(session.run(by_name("w")), np.mean(expected[0], axis=0), rtol=1e-12)


def test_a_mean_saver_of_ones_own(tmp_path):
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


def test_a_saver_that_would_not_take_the_mean_is_refused():
    tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver(allow_empty=True, defer_build=True))
    with pytest.raises(ArgumentError, match="Independent.*a Saver in its collection SAVERS.*MeanSaver"):
        towers_step(Independent(2), "dense", "sgd", nets.no_decay, DEVICES[0])


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), Independent(1)], ids=repr)
def test_variables_from_outside_the_towers_get_one_gradient(strategy):
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


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), Independent(2)], ids=repr)
@pytest.mark.parametrize("steps", [None, 2], ids=["together", "in turns"])
def test_parts_with_copies_train_apart(steps, strategy):
    """Each part's variables move by its own loss alone, and every part's copies meet."""

    def model_fn(batch, mode):
        losses = {}
        for name, rate in (("a", 1.0), ("b", 2.0)):
            weights = tf.get_variable(name + "/w", [], tf.float64, tf.zeros_initializer())
            losses[name] = rate * batch * weights
        return lt.TowerOutput(loss=losses)

    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(1.0, tf.float64), tf.constant(3.0, tf.float64)])
    parts = [
        lt.Part("a", tf.train.GradientDescentOptimizer(0.25), "a", steps=steps),
        lt.Part("b", tf.train.MomentumOptimizer(0.25, 0.5), "b", steps=steps),
    ]
    step = lt.build_train_step(model_fn, inputs, parts, DEVICES[0], strategy)
    with tf.Session(config=nets.config(2)) as session, step.running(session) as run:
        for _ in range(2 if steps is None else 4):
            run()
        assert session.run(step.global_step) == (2 if steps is None else 4)
        variables = step.towers[0].variables
        found = session.run([variables.copies_of(by_name(name)) for name in ("a/w", "b/w", "b/w/Momentum")])
    # Mean gradients 2 and 4, twice each: linear in them, so meeting after both steps gives the same.
    np.testing.assert_allclose(found, [[-1.0] * 2, [-2.5] * 2, [6.0] * 2], rtol=1e-12)


@pytest.mark.parametrize("strategy", [Replicated(check_every=1), Independent(1)], ids=repr)
def test_a_validating_tower_follows(strategy):
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
    # Of the variables before each step: 1, 1 - 0.25 * 2, ...; 10 adds nothing to the mean of 1 and 3.
    np.testing.assert_allclose(losses, [10.0, 5.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(copies, [-0.5] * 3)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Replicated(-1), r"check_every=-1"),
        (lambda: Replicated(True), r"check_every=True"),
        (lambda: Independent(0), r"sync_every=0"),
        (lambda: Independent(1.5), r"sync_every=1.5"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@pytest.mark.parametrize("text", ["Replicated()", "Replicated(check_every=100)", "Independent(sync_every=8)"])
def test_a_strategy_reads_like_the_call_that_made_it(text):
    assert repr(eval(text)) == text
