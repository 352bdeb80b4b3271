"""Cross-tower batch norm against tf.layers.batch_normalization on one device with all examples."""
import numpy as np
import pytest
from connected_towers import MOMENTUM, across, connected, evaluate, of_batch

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.gradients.tower_weights import normalized_tower_weights
from legacy_towers.towers import EVAL, TRAIN, TowerOutput, replicate
from legacy_towers.towers.connected_towers import CrossTowerTensors
from legacy_towers.update import combine_update_ops

RATE = 0.05


def own_value(name, shape):
    rng = np.random.RandomState(sum(map(ord, name)))
    return tf.constant_initializer(rng.normal(size=shape, scale=0.5))


def variable(name, shape):
    return tf.get_variable(name, shape, tf.float64, own_value(name, shape))


def on_one_device(inputs, training, **options):
    return tf.layers.batch_normalization(inputs, training=training, momentum=MOMENTUM, fused=False, **options)


def dense(norm):
    def model_fn(batch, mode):
        hidden = tf.tanh(tf.matmul(batch["x"], variable("w1", [5, 4])))
        hidden = norm(hidden, mode == TRAIN, name="bn", gamma_initializer=own_value("g", [4]))
        return TowerOutput(loss=tf.reduce_mean((hidden - batch["y"]) ** 4))

    return model_fn, [5], [4]


def conv(norm):
    def model_fn(batch, mode):
        hidden = tf.nn.conv2d(batch["x"], variable("k1", [3, 3, 2, 3]), strides=[1, 1, 1, 1], padding="SAME")
        hidden = tf.nn.relu(norm(hidden, mode == TRAIN))
        return TowerOutput(loss=tf.reduce_mean((tf.reduce_mean(hidden, [1, 2]) - batch["y"]) ** 2))

    return model_fn, [6, 6, 2], [3]


def channels_first(norm):
    def model_fn(batch, mode):
        hidden = tf.tensordot(batch["x"], variable("w", [4, 4]), 1)
        hidden = norm(hidden, mode == TRAIN, axis=1, beta_initializer=own_value("b", [3]), epsilon=0.1)
        return TowerOutput(loss=tf.reduce_mean((tf.reduce_sum(hidden ** 3, 2) - batch["y"]) ** 2))

    return model_fn, [3, 4], [3]


def two_layers(norm):
    def model_fn(batch, mode):
        hidden = norm(batch["x"], mode == TRAIN)
        hidden = norm(tf.matmul(hidden, variable("w1", [5, 4])), mode == TRAIN, scale=False)
        hidden = norm(tf.sin(hidden), mode == TRAIN, center=False)
        hidden = tf.matmul(tf.tanh(hidden), variable("w2", [4, 4]))
        return TowerOutput(loss=tf.reduce_mean((hidden - batch["y"]) ** 2))

    return model_fn, [5], [4]


def same_layer_twice(norm):
    def model_fn(batch, mode):
        weights = variable("w1", [5, 4])
        left = norm(tf.matmul(batch["x"], weights), mode == TRAIN, name="bn")
        right = norm(tf.matmul(batch["x"] ** 2, weights), mode == TRAIN, name="bn", reuse=True)
        return TowerOutput(loss=tf.reduce_mean((left * right - batch["y"]) ** 2))

    return model_fn, [5], [4]


def examples(kind, count):
    _, x_shape, y_shape = kind(None)
    rng = np.random.RandomState(4)
    # Far from zero, so that a variance from sums of squares would lose digits.
    return {"x": rng.normal(size=[count] + x_shape) + 30.0, "y": rng.normal(size=[count] + y_shape)}


def batches_of(values, sizes):
    """Returns a batch of unknown size per tower: the next examples, or for size 0 a copy of the first one."""
    batches, start = [], 0
    for size in sizes:
        part = {key: value[start : start + size] if size else value[:1] for key, value in values.items()}
        batches.append({k: tf.placeholder_with_default(v, [None] + list(v.shape[1:])) for k, v in part.items()})
        start += size
    return batches


def one_device(kind, count):
    """Returns loss, gradients and variables, after one step of descent, of all examples on one device."""
    with tf.Graph().as_default():
        values = examples(kind, count)
        loss = kind(on_one_device)[0]({key: tf.constant(value) for key, value in values.items()}, TRAIN).loss
        pairs = tf.train.GradientDescentOptimizer(RATE).compute_gradients(loss)
        return run(loss, pairs, tf.get_collection(tf.GraphKeys.UPDATE_OPS), 1)


def of_towers(kind, sizes, policy="first", weighted=False, use_resource=True):
    """Returns the same as `one_device` for towers with `sizes` examples, connected by CrossTowerTensors."""
    devices = lt.devices.cpus(len(sizes))
    counts = [tf.constant(size) for size in sizes] if weighted else None
    cross_tower = CrossTowerTensors([TRAIN] * len(sizes), counts)
    batches = batches_of(examples(kind, sum(sizes)), sizes)
    model_fn = cross_tower.wrap(kind(across)[0])
    towers = replicate(model_fn, batches, devices, use_resource=use_resource)
    tower_grads = []
    tower_weights = normalized_tower_weights(counts, len(sizes))
    with cross_tower.gradients(tower_weights):
        for tower in towers:
            with tf.device(tower.placer):
                tower_grads.append(tf.train.GradientDescentOptimizer(RATE).compute_gradients(tower.loss))
    updates = combine_update_ops([tower.collected.update_ops for tower in towers], policy, tower_weights)
    cross_tower.connect()
    pairs = lt.average_gradients(tower_grads, weights=counts)
    losses = [tower.loss for tower in towers]
    loss = tf.add_n([a * b for a, b in zip(losses, tower_weights)]) if weighted else tf.add_n(losses) / len(sizes)
    return run(loss, pairs, updates, len(sizes))


def run(loss, pairs, updates, devices):
    train = tf.train.GradientDescentOptimizer(RATE).apply_gradients(pairs)
    with tf.Session(config=lt.session_config(logical_cpus=devices)) as session:
        session.run(tf.global_variables_initializer())
        found_loss, gradients, _ = session.run([loss, {v.op.name: g for g, v in pairs}, updates])
        session.run([train])
        session.run([updates])
        return found_loss, gradients, {v.op.name: session.run(v) for v in tf.global_variables()}


def assert_equal(found, expected, kind):
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    assert sorted(found[1]) == sorted(expected[1]) and sorted(found[2]) == sorted(expected[2])
    for name, value in expected[1].items():
        assert np.abs(found[1][name] - value).max() <= 1e-12 * max(np.abs(value).max(), 1), name
    for name, value in expected[2].items():
        if "moving" in name and kind is same_layer_twice:
            continue  # two updates that race on one device; see test_a_layer_that_is_used_twice_applies_both_updates
        np.testing.assert_allclose(found[2][name], value, rtol=1e-11, atol=1e-12, err_msg=name)


KINDS = [
    dense,
    pytest.param(conv, marks=pytest.mark.slow),
    channels_first,
    two_layers,
    pytest.param(same_layer_twice, marks=pytest.mark.slow),
]


def kind_name(value):
    return value.__name__ if callable(value) else str(value)


@pytest.mark.needs_layers
@pytest.mark.parametrize("kind", KINDS, ids=kind_name)
@pytest.mark.parametrize("towers", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_towers_compute_what_one_device_computes(kind, towers):
    assert_equal(of_towers(kind, [12 // towers] * towers), one_device(kind, 12), kind)


@pytest.mark.needs_layers
def test_one_tower_is_one_device():
    assert_equal(of_towers(two_layers, [6]), one_device(two_layers, 6), two_layers)


@pytest.mark.needs_layers
@pytest.mark.parametrize(
    "kind, sizes",
    [(dense, (3, 0)), (two_layers, (5, 1, 4, 2))]
    + [pytest.param(kind, (0, 4, 1), marks=pytest.mark.slow) for kind in (conv, channels_first, same_layer_twice)],
    ids=kind_name,
)
def test_towers_are_weighted_by_their_examples(kind, sizes):
    assert_equal(of_towers(kind, sizes, weighted=True), one_device(kind, sum(sizes)), kind)


@pytest.mark.needs_layers
@pytest.mark.parametrize("policy, variable_kind", [("all", "resource"), ("mean", "resource"), ("all", "ref")])
def test_moving_statistics_are_updated_once_with_any_update_ops(policy, variable_kind):
    found = of_towers(two_layers, [4, 4, 4], policy, use_resource=variable_kind == "resource")
    assert_equal(found, one_device(two_layers, 12), two_layers)


def normalized(values, examples=None):
    examples = values if examples is None else examples
    return (values - examples.mean(0)) / np.sqrt(examples.var(0) + 1e-3)


def test_a_layer_that_is_used_twice_applies_both_updates():
    values = np.random.RandomState(2).normal(size=[2, 3, 4]) + 5

    def model_fn(batch, mode):
        left = across(batch, True, name="bn")
        right = across(batch ** 2, True, name="bn", reuse=True)
        return TowerOutput(loss=tf.reduce_mean(left * right))

    towers, cross_tower = connected(model_fn, values)
    cross_tower.connect()
    assert [len(tower.collected.update_ops) for tower in towers] == [2, 2]
    moved = [v for v in tf.global_variables() if "moving" in v.op.name]
    every = values.reshape([-1, 4])
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        session.run(tf.global_variables_initializer())
        session.run(towers[1].collected.update_ops)
        mean, variance = session.run(moved)
    keep = 1 - np.float64(np.float32(1 - MOMENTUM))
    np.testing.assert_allclose(mean, (every.mean(0) * keep + (every ** 2).mean(0)) * (1 - keep), rtol=1e-12)
    expected = (keep + every.var(0) * (1 - keep)) * keep + (every ** 2).var(0) * (1 - keep)
    np.testing.assert_allclose(variance, expected, rtol=1e-12)


def test_float16_inputs_are_normalized_in_float32():
    values = (np.random.RandomState(0).normal(size=[2, 8, 3]) * 100 + 300).astype(np.float16)
    towers, cross_tower = connected(of_batch(), values)
    cross_tower.connect()
    assert {v.dtype.base_dtype for v in tf.global_variables()} == {tf.float32}
    found = evaluate([tower.output.predictions for tower in towers])
    assert found[0].dtype == np.float16
    wide = values.astype(np.float64)
    np.testing.assert_allclose(found, normalized(wide, wide.reshape([-1, 3])), atol=2e-3)


def test_padding_is_not_counted():
    values = np.random.RandomState(0).normal(size=[3, 4, 2])
    counts = [tf.placeholder_with_default(count, []) for count in (4, 3, 0)]

    def model_fn(batch, mode):
        outputs = across(batch["x"], True, name="bn")
        return TowerOutput(loss=tf.reduce_mean(outputs, 1), predictions=outputs)

    cross_tower = CrossTowerTensors([TRAIN] * 3, counts, padded=True)
    batches = [{"x": tf.constant(value)} for value in values]
    towers = replicate(cross_tower.wrap(model_fn), batches, lt.devices.cpus(3), counts=counts, padded=True)
    cross_tower.connect()
    found = evaluate([tower.output.predictions for tower in towers])
    np.testing.assert_allclose(found, normalized(values, np.concatenate([values[0], values[1][:3]])), rtol=1e-10)


def test_a_step_without_examples_keeps_the_statistics():
    values = np.random.RandomState(0).normal(size=[2, 4, 2])
    cross_tower = CrossTowerTensors([TRAIN] * 2, [tf.constant(0)] * 2)
    towers = replicate(cross_tower.wrap(of_batch()), [tf.constant(v) for v in values], lt.devices.cpus(2))
    cross_tower.connect()
    moved = [v for v in tf.global_variables() if "moving" in v.op.name]
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        session.run(tf.global_variables_initializer())
        session.run(towers[0].collected.update_ops)
        mean, variance = session.run(moved)
    np.testing.assert_array_equal(mean, [0, 0])
    np.testing.assert_array_equal(variance, [1, 1])


def test_a_tower_that_validates_normalizes_by_the_moving_statistics():
    values = np.random.RandomState(1).normal(size=[3, 4, 2]) + 3
    towers, cross_tower = connected(of_batch(), values, modes=[EVAL, TRAIN, TRAIN])
    cross_tower.connect()
    found = evaluate([tower.output.predictions for tower in towers])
    np.testing.assert_allclose(found[0], values[0] / np.sqrt(1 + 1e-3), rtol=1e-12)
    np.testing.assert_allclose(found[1:], normalized(values[1:], values[1:].reshape([-1, 2])), rtol=1e-10)


@pytest.mark.needs_layers
@pytest.mark.parametrize("variable_kind", ["resource", "ref"])
def test_checkpoints_restore_into_tf_layers_and_back(tmp_path, variable_kind):
    values = np.random.RandomState(1).normal(size=[2, 4, 3]) + 3

    def build(norm):
        with tf.variable_scope("net", use_resource=variable_kind == "resource"):
            return [norm(tf.constant(values[0]), False), norm(tf.constant(values[1]), False, name="named")]

    def numbers():
        return {v.op.name: np.random.RandomState(len(v.op.name)).rand(3) for v in tf.global_variables()}

    paths = {}
    for norm in (across, on_one_device):
        with tf.Graph().as_default(), tf.Session() as session:
            build(norm)
            variables = tf.global_variables()
            names = [v.op.name for v in variables]
            assert names[:2] == ["net/batch_normalization/gamma", "net/batch_normalization/beta"]
            session.run([tf.assign(v, numbers()[v.op.name]) for v in variables])
            paths[norm] = tf.train.Saver().save(session, str(tmp_path / norm.__name__))
    found = []
    for norm, path in ((across, paths[on_one_device]), (on_one_device, paths[across])):
        with tf.Graph().as_default(), tf.Session() as session:
            outputs = build(norm)
            tf.train.Saver().restore(session, path)
            found.append(session.run(outputs))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_regularizers_and_trainable():
    decay = lambda weights: tf.reduce_sum(weights, name="decay")  # noqa: E731
    across(tf.ones([2, 3]), False, name="one", gamma_regularizer=decay, beta_regularizer=decay)
    across(tf.ones([2, 3]), False, name="two", trainable=False)
    assert [v.op.name for v in tf.trainable_variables()] == ["one/gamma", "one/beta"]
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 2
