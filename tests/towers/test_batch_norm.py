"""Cross-tower batch norm against tf.layers.batch_normalization on one device with all examples."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.shares import tower_shares
from legacy_towers.towers import EVAL, TRAIN, TowerOutput, replicate
from legacy_towers.towers.batch_norm import cross_tower_batch_norm
from legacy_towers.towers.exchange import TowerExchange
from legacy_towers.update import combine_update_ops
from legacy_towers.variables import Strategy

MOMENTUM = 0.9
RATE = 0.05


def own_value(name, shape):
    rng = np.random.RandomState(sum(map(ord, name)))
    return tf.constant_initializer(rng.normal(size=shape, scale=0.5))


def variable(name, shape):
    return tf.get_variable(name, shape, tf.float64, own_value(name, shape))


def across(inputs, training, **options):
    return cross_tower_batch_norm(inputs, training, momentum=MOMENTUM, **options)


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


def of_towers(kind, sizes, policy="first", weighted=False, variable_kind="resource"):
    """Returns the same of towers, each with so many examples, and connected by a TowerExchange."""
    devices = lt.devices.cpus(len(sizes))
    counts = [tf.constant(size) for size in sizes] if weighted else None
    exchange = TowerExchange([TRAIN] * len(sizes), counts)
    batches = batches_of(examples(kind, sum(sizes)), sizes)
    model_fn = exchange.around(kind(across)[0])
    towers = replicate(model_fn, batches, devices, variable_kind=variable_kind)
    tower_grads = []
    for tower in towers:
        with tf.device(tower.placer):
            tower_grads.append(tf.train.GradientDescentOptimizer(RATE).compute_gradients(tower.loss))
    shares = tower_shares(counts, len(sizes))
    exchange.bind_backward(shares)
    updates = combine_update_ops([tower.collected.update_ops for tower in towers], policy, shares)
    exchange.bind_forward()
    pairs = lt.average_gradients(tower_grads, weights=counts)
    losses = [tower.loss for tower in towers]
    loss = tf.add_n([a * b for a, b in zip(losses, shares)]) if weighted else tf.add_n(losses) / len(sizes)
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
            continue  # two updates that race on one device; see test_a_layer_that_is_used_twice_moves_twice
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
def test_towers_with_fewer_examples_count_less(kind, sizes):
    assert_equal(of_towers(kind, sizes, weighted=True), one_device(kind, sum(sizes)), kind)


@pytest.mark.needs_layers
@pytest.mark.parametrize("policy, variable_kind", [("all", "resource"), ("mean", "resource"), ("all", "ref")])
def test_moving_statistics_move_once_by_any_policy(policy, variable_kind):
    found = of_towers(two_layers, [4, 4, 4], policy, variable_kind=variable_kind)
    assert_equal(found, one_device(two_layers, 12), two_layers)


def connected(model_fn, values, modes=None, strategy=None, **options):
    """Returns towers on one logical device each, and the exchange that connects them."""
    modes = [TRAIN] * len(values) if modes is None else modes
    exchange = TowerExchange(modes, strategy=strategy, **options)
    batches = [tf.constant(value) for value in values]
    towers = replicate(exchange.around(model_fn), batches, lt.devices.cpus(len(values)), mode=modes)
    return towers, exchange


def of_batch(training=None):
    """Returns a model function of one layer named bn, whose predictions are what the layer gives."""

    def model_fn(batch, mode):
        outputs = across(batch, mode == TRAIN if training is None else training, name="bn")
        return TowerOutput(loss=tf.reduce_mean(outputs), predictions=outputs)

    return model_fn


def evaluate(fetches, devices=4):
    with tf.Session(config=lt.session_config(logical_cpus=devices)) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def normalized(values, examples=None):
    examples = values if examples is None else examples
    return (values - examples.mean(0)) / np.sqrt(examples.var(0) + 1e-3)


def test_a_layer_that_is_used_twice_moves_twice():
    values = np.random.RandomState(2).normal(size=[2, 3, 4]) + 5

    def model_fn(batch, mode):
        left = across(batch, True, name="bn")
        right = across(batch ** 2, True, name="bn", reuse=True)
        return TowerOutput(loss=tf.reduce_mean(left * right))

    towers, exchange = connected(model_fn, values)
    exchange.bind_forward()
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


def test_half_precision_normalizes_in_single_precision():
    values = (np.random.RandomState(0).normal(size=[2, 8, 3]) * 100 + 300).astype(np.float16)
    towers, exchange = connected(of_batch(), values)
    exchange.bind_forward()
    assert {v.dtype.base_dtype for v in tf.global_variables()} == {tf.float32}
    found = evaluate([tower.output.predictions for tower in towers])
    assert found[0].dtype == np.float16
    wide = values.astype(np.float64)
    np.testing.assert_allclose(found, normalized(wide, wide.reshape([-1, 3])), atol=2e-3)


def test_copies_that_fill_a_batch_up_are_not_counted():
    values = np.random.RandomState(0).normal(size=[3, 4, 2])
    counts = [tf.placeholder_with_default(count, []) for count in (4, 3, 0)]

    def model_fn(batch, mode):
        outputs = across(batch["x"], True, name="bn")
        return TowerOutput(loss=tf.reduce_mean(outputs, 1), predictions=outputs)

    exchange = TowerExchange([TRAIN] * 3, counts, padded=True)
    batches = [{"x": tf.constant(value)} for value in values]
    towers = replicate(exchange.around(model_fn), batches, lt.devices.cpus(3), counts=counts, padded=True)
    exchange.bind_forward()
    found = evaluate([tower.output.predictions for tower in towers])
    np.testing.assert_allclose(found, normalized(values, np.concatenate([values[0], values[1][:3]])), rtol=1e-10)


def test_a_step_without_examples_leaves_the_statistics():
    values = np.random.RandomState(0).normal(size=[2, 4, 2])
    exchange = TowerExchange([TRAIN] * 2, [tf.constant(0)] * 2)
    towers = replicate(exchange.around(of_batch()), [tf.constant(v) for v in values], lt.devices.cpus(2))
    exchange.bind_forward()
    moved = [v for v in tf.global_variables() if "moving" in v.op.name]
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        session.run(tf.global_variables_initializer())
        session.run(towers[0].collected.update_ops)
        mean, variance = session.run(moved)
    np.testing.assert_array_equal(mean, [0, 0])
    np.testing.assert_array_equal(variance, [1, 1])


def test_a_tower_that_validates_normalizes_by_the_moving_statistics():
    values = np.random.RandomState(1).normal(size=[3, 4, 2]) + 3
    towers, exchange = connected(of_batch(), values, modes=[EVAL, TRAIN, TRAIN])
    exchange.bind_forward()
    found = evaluate([tower.output.predictions for tower in towers])
    np.testing.assert_allclose(found[0], values[0] / np.sqrt(1 + 1e-3), rtol=1e-12)
    np.testing.assert_allclose(found[1:], normalized(values[1:], values[1:].reshape([-1, 2])), rtol=1e-10)


@pytest.mark.needs_layers
@pytest.mark.parametrize("variable_kind", ["resource", "ref"])
def test_checkpoints_go_both_ways_with_tf_layers(tmp_path, variable_kind):
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


def test_regularizers_and_trainable_are_the_variables():
    decay = lambda weights: tf.reduce_sum(weights, name="decay")  # noqa: E731
    across(tf.ones([2, 3]), False, name="one", gamma_regularizer=decay, beta_regularizer=decay)
    across(tf.ones([2, 3]), False, name="two", trainable=False)
    assert [v.op.name for v in tf.trainable_variables()] == ["one/gamma", "one/beta"]
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 2


def differing(batch, mode):
    tower = tf.get_default_graph().get_name_scope()
    names = {"tower_0": "ab", "tower_1": "ba"}[tower]
    for name in names:
        batch = across(batch, True, name=name)
    return TowerOutput(loss=tf.reduce_mean(batch))


def fewer(batch, mode):
    first = tf.get_default_graph().get_name_scope() == "tower_0"
    for name in "ab" if first else "a":
        batch = across(batch, True, name=name)
    return TowerOutput(loss=tf.reduce_mean(batch))


def more(batch, mode):
    first = tf.get_default_graph().get_name_scope() == "tower_0"
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        for name in "a" if first else "ab":
            batch = across(batch, True, name=name)
    return TowerOutput(loss=tf.reduce_mean(batch))


def in_a_condition(batch, mode):
    batch = tf.cond(tf.reduce_any(batch > 0), lambda: across(batch, True, name="bn"), lambda: batch)
    return TowerOutput(loss=tf.reduce_mean(batch))


def in_a_loop(batch, mode):
    _, batch = tf.while_loop(
        lambda count, _: count < 3, lambda count, each: (count + 1, across(each, True, name="bn")), [0, batch]
    )
    return TowerOutput(loss=tf.reduce_mean(batch))


def inner_gradient(batch, mode):
    outputs = across(batch * tf.get_variable("w", [], tf.float64), True, name="bn")
    return TowerOutput(loss=tf.reduce_mean(tf.gradients(outputs ** 2, tf.trainable_variables()[0])[0]))


@pytest.mark.parametrize(
    "model_fn, message",
    [
        (differing, "tower 1 uses lt.cross_tower_batch_norm 'b' where tower 0 uses 'a'"),
        (fewer, "tower 1 does not use lt.cross_tower_batch_norm 'b', which tower 0 uses"),
        (more, "tower 1 uses lt.cross_tower_batch_norm 'b', which tower 0 does not use"),
        (in_a_condition, "'bn' stands inside a tf.cond, a tf.while_loop or a function"),
        (in_a_loop, "'bn' stands inside a tf.cond, a tf.while_loop or a function"),
        (inner_gradient, "the model function of tower 0 takes gradients through lt.cross_tower_batch_norm 'bn'"),
    ],
    ids=kind_name,
)
def test_towers_that_cant_exchange_are_refused(model_fn, message):
    with pytest.raises(TowerError, match=message):
        connected(model_fn, np.ones([2, 4, 3]))


def test_training_in_a_tower_that_validates_is_refused():
    with pytest.raises(TowerError, match="'bn' has training=True in tower 1, which is built for mode 'eval'"):
        connected(of_batch(training=True), np.ones([3, 4, 2]), modes=[TRAIN, EVAL, TRAIN])


def test_replicate_alone_refuses_to_train():
    with pytest.raises(TowerError, match="'bn' with training=True works in the model function of lt.build_train"):
        replicate(of_batch(), [tf.ones([2, 3])] * 2, lt.devices.cpus(2))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"epsilon": -1}, "epsilon is -1 in lt.cross_tower_batch_norm: a number of 0 or more is needed"),
        ({"epsilon": float("nan")}, "epsilon is nan"),
        ({"epsilon": "small"}, "epsilon is 'small'"),
        ({"momentum": 2}, "momentum is 2 in lt.cross_tower_batch_norm: a number from 0 to 1 is needed"),
        ({"momentum": -0.5}, "momentum is -0.5"),
        ({"momentum": None}, "momentum is None"),
    ],
    ids=str,
)
def test_numbers_out_of_range_are_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        lt.cross_tower_batch_norm(tf.ones([2, 3]), training=False, **arguments)


class Apart(Strategy):
    updates = "own"

    def __repr__(self):
        return "Apart()"


def test_towers_that_update_on_their_own_are_refused():
    with pytest.raises(ArgumentError, match=r"with variables=Apart\(\) each updates its variables on its own"):
        connected(of_batch(), np.ones([2, 4, 3]), strategy=Apart())


def test_towers_that_were_not_connected_fail_loudly():
    towers, _ = connected(of_batch(), np.ones([2, 4, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="the towers were not connected"):
        evaluate(towers[0].loss)


def scaled_before(batch, mode):
    outputs = across(batch * tf.get_variable("w", [], tf.float64), True, name="bn")
    return TowerOutput(loss=tf.reduce_mean(outputs ** 3))


def test_gradients_that_were_not_connected_are_refused():
    towers, exchange = connected(scaled_before, np.random.rand(2, 4, 3))
    for tower in towers:
        tf.gradients(tower.loss, tf.trainable_variables())
    with pytest.raises(TowerError, match="gradients were computed through .* 'bn' after the last bind_backward"):
        exchange.bind_forward()


def test_a_loss_without_the_layer_is_refused():
    towers, exchange = connected(scaled_before, np.random.rand(2, 4, 3))
    tf.gradients(towers[1].loss, tf.trainable_variables())
    with pytest.raises(TowerError, match="of tower 1 go through .* 'bn' 1 times, those of tower 0 0 times"):
        exchange.bind_backward()


def test_gradients_of_a_connected_tower_are_refused():
    towers, exchange = connected(scaled_before, np.random.rand(2, 4, 3))
    exchange.bind_forward()
    with pytest.raises(TowerError, match="whose towers are connected already"):
        tf.gradients(towers[0].loss, tf.trainable_variables())


def test_second_derivatives_are_refused():
    towers, exchange = connected(scaled_before, np.random.rand(2, 4, 3))
    first = [tf.gradients(tower.loss, tf.trainable_variables())[0] for tower in towers]
    with pytest.raises(TowerError, match="it has no derivative of its own"):
        tf.gradients(first[0], tf.trainable_variables())


@pytest.mark.parametrize(
    "inputs, options, message",
    [
        (lambda: tf.ones([2, 3]), {"training": lambda: tf.constant(True)}, "give True or False"),
        (lambda: tf.ones([2, 3]), {"axis": lambda: 0}, "axis 0 is the example"),
        (lambda: tf.ones([2, 3]), {"axis": lambda: 2}, "axis is 2"),
        (lambda: tf.ones([2, 3]), {"axis": lambda: "last"}, "axis is 'last'"),
        (lambda: tf.ones([2, 3], tf.int32), {}, "a floating-point tensor of known rank is needed"),
        (lambda: tf.placeholder(tf.float32), {}, "a floating-point tensor of known rank is needed"),
        (lambda: tf.placeholder(tf.float32, [2, None]), {}, "the size along axis -1 must be known"),
    ],
    ids=["tensor", "example", "rank", "a word", "integers", "unknown", "size"],
)
def test_arguments(inputs, options, message):
    options = dict({"training": lambda: False}, **options)
    with pytest.raises(ArgumentError, match=message):
        cross_tower_batch_norm(inputs(), **{name: value() for name, value in options.items()})


def test_nothing_is_left_in_the_graphs_collections():
    towers, exchange = connected(scaled_before, np.random.rand(2, 4, 3))
    for tower in towers:
        tf.gradients(tower.loss, tf.trainable_variables())
    exchange.bind_backward()
    exchange.bind_forward()
    left = [key for key in tf.get_default_graph().get_all_collection_keys() if "legacy_towers" in str(key)]
    assert [tf.get_collection(key) for key in left] == [[]] * len(left)


def test_a_towers_gradients_cost_the_same_however_many_towers_there_are():
    def operations(towers):
        with tf.Graph().as_default() as graph:
            # Sizes that are no number of towers: TensorFlow shares constants among gradients of equal shapes.
            built, exchange = connected(scaled_before, np.random.rand(towers, 7, 5))
            for tower in built:
                tf.gradients(tower.loss, tf.trainable_variables())
            exchange.bind_backward()
            exchange.bind_forward()
            return len(graph.get_operations())

    two, four, eight = operations(2), operations(4), operations(8)
    assert eight - four == 2 * (four - two)
