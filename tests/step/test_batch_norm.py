"""Steps with cross-tower batch norm against one device that trains on all examples."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError

RNG = np.random.RandomState(5)
ARRAYS = {"x": RNG.normal(size=[34, 5]) + 2, "y": RNG.normal(size=[34, 3])}
MOMENTUM = 0.9


def slow(case):
    return pytest.param(case, marks=pytest.mark.slow)


def variable(name, shape):
    value = np.random.RandomState(sum(map(ord, name))).normal(size=shape, scale=0.5)
    return tf.get_variable(name, shape, tf.float64, tf.constant_initializer(value))


def across(inputs, training, name=None):
    return lt.cross_tower_batch_norm(inputs, training, momentum=MOMENTUM, name=name)


def plain(inputs, training, name=None):
    return tf.layers.batch_normalization(inputs, training=training, momentum=MOMENTUM, fused=False, name=name)


def outputs_of(norm, x, training):
    hidden = tf.tanh(norm(tf.matmul(x, variable("w1", [5, 4])), training))
    return norm(tf.matmul(hidden, variable("w2", [4, 3])), training)


def model(norm, per_example=True):
    def model_fn(batch, mode):
        outputs = outputs_of(norm, batch["x"], mode == lt.TRAIN)
        losses = tf.reduce_sum((outputs - batch["y"]) ** 4, 1)
        return lt.TowerOutput(loss=losses if per_example else tf.reduce_mean(losses))

    return model_fn


def momentum():
    return tf.train.MomentumOptimizer(0.01, 0.5)


def history_of(run, train_op, loss, steps):
    found = []
    for _ in range(steps):
        found.append(run([train_op, loss])[1])
    return found


def on_one_device(sizes, factor=1.0, regularize=None):
    """Returns the losses, and the variables after training on batches of these sizes, one after the other."""
    with tf.Graph().as_default():
        batch = {name: tf.placeholder(tf.float64, [None, values.shape[1]]) for name, values in ARRAYS.items()}
        loss = tf.reduce_mean(model(plain)(batch, lt.TRAIN).loss)
        total = loss if regularize is None else loss + regularize()
        pairs = [(gradient * factor, v) for gradient, v in momentum().compute_gradients(total)]
        step = tf.train.get_or_create_global_step()
        train_op = tf.group(
            momentum().apply_gradients(pairs, step), *tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses, start = [], 0
            for size in sizes:
                rows = {batch[name]: values[start : start + size] for name, values in ARRAYS.items()}
                losses.append(session.run([train_op, total], rows)[1])
                start += size
            return losses, {v.op.name: session.run(v) for v in tf.global_variables()}


def dataset(per_tower, remainder="drop", count=34, order="fixed"):
    examples = lt.Examples.from_arrays({name: values[:count] for name, values in ARRAYS.items()})
    return lt.inputs.dataset(examples, per_tower_batch_size=per_tower, remainder=remainder, order=order, epochs=1)


def of_towers(source, towers, steps, model_fn=None, **arguments):
    with tf.Graph().as_default():
        step = lt.build_train_step(
            model(across) if model_fn is None else model_fn, source, momentum(), lt.devices.cpus(towers), **arguments
        )
        config = lt.session_config(logical_cpus=towers)
        with tf.Session(config=config) as session, step.running(session) as run:
            losses = history_of(run, step.train_op, step.loss, steps)
            return losses, {v.op.name: session.run(v) for v in tf.global_variables()}


def assert_equal(found, expected):
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-11)
    assert sorted(found[1]) == sorted(expected[1])
    for name, value in expected[1].items():
        np.testing.assert_allclose(found[1][name], value, rtol=1e-10, atol=1e-11, err_msg=name)


@pytest.mark.needs_layers
@pytest.mark.parametrize(
    "arguments",
    [
        {"variables": lt.variables.RoundRobin(lt.devices.cpus(2)), "update_ops": "mean"},
        {"variables": lt.variables.Replicated()},
        slow({"variables": lt.variables.Replicated(), "update_ops": "mean"}),
        slow({"reduction": lt.gradients.chain(lt.gradients.loss_scale(32.0), lt.gradients.tree())}),
        slow({"update_ops": "all", "use_resource": False}),
    ],
    ids=str,
)
def test_towers_train_as_one_device(arguments):
    assert_equal(of_towers(dataset(4), 2, 3, **arguments), on_one_device([8, 8, 8]))


@pytest.mark.needs_layers
@pytest.mark.parametrize(
    "remainder, variables",
    [
        ("short", None),
        pytest.param("pad", None, marks=pytest.mark.slow),
        pytest.param("short", lt.variables.Replicated(), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_last_batch_smaller_than_all_towers(remainder, variables):
    # 17 examples: 4, 4 and 4, then 4, 1 and none.
    found = of_towers(dataset(4, remainder, 17), 3, 2, variables=variables)
    assert_equal(found, on_one_device([12, 5]))


@pytest.mark.needs_layers
def test_sum_weighs_every_tower_by_one():
    # Towers of equal size; a sum of gradients is that of 2 times the mean loss over all examples.
    found = of_towers(dataset(4), 2, 2, reduction=lt.gradients.sum())
    assert_equal(found, on_one_device([8, 8], factor=2.0))


@pytest.mark.slow
@pytest.mark.needs_layers
def test_sum_leaves_out_a_tower_without_examples():
    found = of_towers(dataset(4, "short", 16), 3, 2, reduction=lt.gradients.chain(lt.gradients.sum()))
    sums = on_one_device([12], factor=3.0)
    np.testing.assert_allclose(found[0][0], sums[0][0], rtol=1e-12)
    # The second step has 4 examples in tower 0 alone: the sum is that tower's own.
    with tf.Graph().as_default():
        _, one = of_towers(dataset(4, "short", 16), 3, 1, reduction=lt.gradients.sum())
        batch = {name: tf.constant(values[12:16]) for name, values in ARRAYS.items()}
        loss = tf.reduce_mean(model(plain)(batch, lt.TRAIN).loss)
        pairs = momentum().compute_gradients(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([tf.assign(v, one[v.op.name]) for v in tf.global_variables()])
            expected_loss, gradients = session.run([loss, {v.op.name: g for g, v in pairs}])
    assert found[0][1] == pytest.approx(expected_loss, rel=1e-12)
    for name, gradient in gradients.items():
        slot = 0.5 * one[name + "/Momentum"] + gradient
        np.testing.assert_allclose(found[1][name + "/Momentum"], slot, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.needs_layers
@pytest.mark.parametrize("remainder", [slow("drop"), "short"])
def test_regularization_of_activations_has_gradients_through_the_layer(remainder):
    def regularized(batch, mode):
        outputs = outputs_of(across, batch["x"], True)
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.reduce_mean(outputs**2 + outputs**3) * 0.5)
        return lt.TowerOutput(loss=tf.reduce_mean(tf.reduce_sum((outputs - batch["y"]) ** 4, 1)))

    def of_all():
        outputs = tf.get_default_graph().get_tensor_by_name("batch_normalization_1/batchnorm/add_1:0")
        return tf.reduce_mean(outputs**2 + outputs**3) * 0.5

    count, sizes = (17, [12, 5]) if remainder == "short" else (24, [12, 12])
    found = of_towers(dataset(4, remainder, count), 3, 2, regularized)
    assert_equal(found, on_one_device(sizes, regularize=of_all))


@pytest.mark.needs_layers
@pytest.mark.parametrize("steps", [pytest.param(None, marks=pytest.mark.slow), 1], ids=["joint", "alternating"])
def test_objectives_with_their_own_batch_norm(steps):
    def two_losses(norm):
        def model_fn(batch, mode):
            with tf.variable_scope("generator"):
                made = norm(tf.matmul(batch["x"], variable("w", [5, 3])), True)
            with tf.variable_scope("discriminator"):
                joined = tf.concat([made, batch["y"]], 1)
                judged = tf.reduce_sum(tf.tanh(norm(tf.matmul(joined, variable("v", [6, 2])), True)) ** 3, 1)
            return lt.TowerOutput(loss={"g": tf.reduce_mean(judged), "d": tf.reduce_mean(tf.sin(judged))})

        return model_fn

    def optimizer():
        return tf.train.GradientDescentOptimizer(0.1)

    scopes = {"g": "generator", "d": "discriminator"}
    objectives = [lt.Objective(name, optimizer(), scopes[name], steps) for name in ("g", "d")]
    with tf.Graph().as_default():
        step = lt.build_train_step(two_losses(across), dataset(4), objectives, lt.devices.cpus(2))
        config = lt.session_config(logical_cpus=2)
        with tf.Session(config=config) as session, step.running(session) as run:
            for _ in range(2):
                run()
            found = {v.op.name: session.run(v) for v in tf.global_variables()}
    with tf.Graph().as_default():
        batch = {name: tf.placeholder(tf.float64, [None, values.shape[1]]) for name, values in ARRAYS.items()}
        losses = two_losses(plain)(batch, lt.TRAIN).loss
        train = {}
        for name, scope in scopes.items():
            pairs = optimizer().compute_gradients(losses[name], tf.trainable_variables(scope))
            train[name] = (pairs, tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope))
        gradients = [pair for pairs, _ in train.values() for pair in pairs]
        with tf.control_dependencies([gradient for gradient, _ in gradients]):
            together = tf.group(optimizer().apply_gradients(gradients), [each for _, each in train.values()])
        alone = {name: tf.group(optimizer().apply_gradients(p), u) for name, (p, u) in train.items()}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for number, name in enumerate(("g", "d")):
                rows = {batch[key]: values[8 * number : 8 * number + 8] for key, values in ARRAYS.items()}
                session.run(together if steps is None else alone[name], rows)
            for variable_ in tf.global_variables():
                value = session.run(variable_)
                np.testing.assert_allclose(
                    found[variable_.op.name], value, rtol=1e-10, atol=1e-12, err_msg=variable_.op.name
                )


@pytest.mark.slow
@pytest.mark.needs_layers
def test_accumulated_steps_normalize_each_by_its_own_examples():
    found = of_towers(dataset(4), 2, 2, reduction=lt.gradients.chain(lt.gradients.mean(), lt.gradients.accumulate(2)))
    with tf.Graph().as_default():
        batches = [{n: tf.constant(v[8 * k : 8 * k + 8]) for n, v in ARRAYS.items()} for k in range(2)]
        losses = []
        for number, batch in enumerate(batches):
            with tf.variable_scope(tf.get_variable_scope(), reuse=number > 0):
                losses.append(tf.reduce_mean(model(plain)(batch, lt.TRAIN).loss))
        train_op = momentum().minimize(tf.add_n(losses) / 2)
        trained = tf.trainable_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            expected = session.run(losses)
            session.run(train_op)
            for each in trained:
                np.testing.assert_allclose(found[1][each.op.name], session.run(each), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found[0], expected, rtol=1e-11)


def test_a_tower_that_validates_reads_the_moving_statistics():
    train, validation = dataset(4), dataset(4)
    step = lt.build_train_step(
        model(across), lt.inputs.with_validation_tower(train, validation), momentum(), lt.devices.cpus(3)
    )
    config = lt.session_config(logical_cpus=3)
    with tf.Session(config=config) as session, step.running(session) as run:
        before = session.run({v.op.name: v for v in tf.trainable_variables()})
        loss = run([step.train_op, step.validation_loss])[1]
    x, y = ARRAYS["x"][:4], ARRAYS["y"][:4]
    hidden = np.tanh(x.dot(before["w1"]) / np.sqrt(1 + 1e-3))
    outputs = hidden.dot(before["w2"]) / np.sqrt(1 + 1e-3)
    assert loss == pytest.approx(((outputs - y) ** 4).sum(1).mean(), rel=1e-12)


@pytest.mark.parametrize(
    "strategy, name",
    [
        (lambda: lt.variables.LocalSGD(sync_every=2), r"LocalSGD\(sync_every=2"),
        (lambda: lt.variables.Asynchronous(), r"Asynchronous\("),
    ],
    ids=["local_sgd", "asynchronous"],
)
def test_batch_norm_refuses_towers_that_apply_their_own_gradients(strategy, name):
    with pytest.raises(ArgumentError, match="with variables=" + name + ".*each updates its variables on its own"):
        lt.build_train_step(
            model(across), dataset(4, order="any"), momentum(), lt.devices.cpus(2), variables=strategy()
        )


def test_shared_batches_are_found_despite_connected_towers():
    batch = {name: tf.placeholder_with_default(values[:4], [None, values.shape[1]]) for name, values in ARRAYS.items()}
    with pytest.raises(lt.errors.InputError, match="towers 0 and 1 get the same examples"):
        lt.build_train_step(
            model(across), lt.inputs.from_tensors([batch, batch]), momentum(), lt.devices.cpus(2)
        )


def test_a_loss_that_does_not_depend_on_the_layer_is_refused():
    def one_sided(batch, mode):
        outputs = outputs_of(across, batch["x"], True)
        if tf.get_default_graph().get_name_scope() == "tower_1":
            outputs = tf.matmul(tf.matmul(batch["x"], variable("w1", [5, 4])), variable("w2", [4, 3]))
        return lt.TowerOutput(loss=tf.reduce_mean(outputs))

    with pytest.raises(TowerError, match="those of tower 1 0 times: each tower's loss must depend on it"):
        of_towers(dataset(4), 2, 1, one_sided, on_missing="zeros")


def test_a_monitored_session_saves_checkpoints_with_cross_tower_batch_norm(tmp_path, caplog):
    step = lt.build_train_step(model(across), dataset(4), momentum(), lt.devices.cpus(2))
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=step.hooks, config=lt.session_config(logical_cpus=2)
    ) as session:
        session.run(step.train_op)
    names = [name for name, _ in tf.train.list_variables(tf.train.latest_checkpoint(str(tmp_path)))]
    assert "batch_normalization/moving_mean" in names
    # The meta graph that is saved too can't contain our objects.
    assert "Error encountered when serializing" not in caplog.text
