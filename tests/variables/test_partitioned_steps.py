"""Steps with partitioned variables, compared with TensorFlow's plain training loop with unpartitioned ones."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.variables import (
    Asynchronous,
    Balanced,
    ParameterServer,
    Partitioned,
    Replicated,
    RoundRobin,
    check_copies,
)

TOWERS = 3
DEVICES = ["/cpu:{}".format(index) for index in range(TOWERS)]
ROWS, WIDTH, PER_TOWER = 20, 3, 4
RANDOM = np.random.RandomState(5)
TABLE = RANDOM.normal(size=[ROWS, WIDTH])
WEIGHTS = RANDOM.normal(size=[2 * WIDTH, 2])
IDS = RANDOM.randint(0, ROWS, size=[TOWERS * PER_TOWER, 2])
LABELS = RANDOM.normal(size=[TOWERS * PER_TOWER, 2])
OPTIMIZERS = {
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
}
# Parts of 5 rows of the table; weights and bias are not partitioned.
MOST = 5 * WIDTH * 8


def loss_of(ids, labels):
    table = tf.get_variable("table", [ROWS, WIDTH], tf.float64, tf.constant_initializer(TABLE))
    weights = tf.get_variable(
        "weights", [2 * WIDTH, 2], tf.float64, tf.constant_initializer(WEIGHTS), regularizer=tf.nn.l2_loss
    )
    bias = tf.get_variable("bias", [2], tf.float64, tf.zeros_initializer())
    rows = tf.reshape(tf.nn.embedding_lookup(table, ids, partition_strategy="div"), [-1, 2 * WIDTH])
    return tf.reduce_mean(tf.square(tf.tanh(tf.matmul(rows, weights)) + bias - labels))


def whole(optimizer, steps):
    """Returns name -> value after `steps` steps over all examples at once, without towers, parts or this package."""
    with tf.Graph().as_default(), tf.Session() as session:
        loss = loss_of(tf.constant(IDS), tf.constant(LABELS))
        step = tf.train.get_or_create_global_step()
        train = optimizer().minimize(loss + tf.losses.get_regularization_loss(), step)
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train)
        return dict(zip([each.op.name for each in tf.global_variables()], session.run(tf.global_variables())))


def build(strategy, optimizer, **options):
    batches = [
        (tf.constant(ids), tf.constant(labels))
        for ids, labels in zip(np.split(IDS, TOWERS), np.split(LABELS, TOWERS))
    ]

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=loss_of(*batch))

    return lt.build_train_step(
        model_fn, lt.inputs.from_tensors(per_tower=batches), optimizer(), DEVICES, strategy, **options
    )


def joined(session):
    """Returns name -> value, with parts concatenated."""
    found = {}
    for variable, value in zip(tf.global_variables(), session.run(tf.global_variables())):
        head, _, tail = variable.op.name.partition("/part_")
        name = head + "".join(tail.partition("/")[1:])
        found[name] = value if name not in found else np.concatenate([found[name], value])
    return found


CASES = [
    (ParameterServer("/cpu:1"), "momentum", "resource"),
    (ParameterServer("/cpu:1"), "adam", "ref"),
    (RoundRobin(DEVICES), "adam", "resource"),
    (Balanced(DEVICES), "momentum", "ref"),
    (Balanced(DEVICES), "adam", "resource"),
]


@pytest.mark.parametrize("inner, name, kind", CASES, ids=[
    "{}-{}-{}".format(type(inner).__name__, name, kind) for inner, name, kind in CASES
])
def test_training_matches_unpartitioned_variables(inner, name, kind):
    optimizer = OPTIMIZERS[name]
    step = build(Partitioned(inner, MOST), optimizer, use_resource=kind == "resource")
    names = ["table/part_{}".format(k) for k in range(4)] + ["weights", "bias"]
    assert [each.op.name for each in tf.trainable_variables()] == names
    sparse = [isinstance(gradient, tf.IndexedSlices) for gradient, _ in step.gradients]
    assert sparse == [True] * 4 + [False] * 2
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
        for _ in range(3):
            run()
        found = joined(session)
    expected = whole(optimizer, 3)
    assert set(found) == set(expected)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_a_weight_that_is_read_as_a_whole_can_be_partitioned():
    step = build(Partitioned(Balanced(DEVICES), 32), OPTIMIZERS["momentum"])
    names = [each.op.name for each in tf.trainable_variables()]
    assert names[20:] == ["weights/part_{}".format(k) for k in range(3)] + ["bias"]
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
        run()
        found = joined(session)
    expected = whole(OPTIMIZERS["momentum"], 1)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_the_plan_has_a_row_per_part():
    step = build(Partitioned(Balanced(DEVICES), MOST), OPTIMIZERS["momentum"])
    # 120 bytes of the table on each device, the 4th on the first again; then 96 of weights and 16 of bias
    rows = [(row.name, row.bytes, row.device[-1], row.gradient) for row in step.plan.variables if row.trainable]
    assert rows == [
        ("table/part_0", 120, "0", "sparse"),
        ("table/part_1", 120, "1", "sparse"),
        ("table/part_2", 120, "2", "sparse"),
        ("table/part_3", 120, "0", "sparse"),
        ("weights", 96, "1", "dense"),
        ("bias", 16, "2", "dense"),
    ]
    assert "Partitioned(Balanced(['/cpu:0', '/cpu:1', '/cpu:2']), max_part_bytes=120)" in str(step.plan)
    for _, variable in step.gradients:
        slots = [each for each in tf.global_variables() if each.op.name == variable.op.name + "/Momentum"]
        assert [slot.device for slot in slots] == [variable.device]


def test_moving_averages_are_of_parts():
    step = build(Partitioned(RoundRobin(DEVICES), MOST), OPTIMIZERS["momentum"], moving_average_decay=0.5)
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
        run()
        found = joined(session)
    # min(0.5, (1 + step) / (10 + step)), a float32, of the value before the step, at the step after it
    keep = 2 / 11
    np.testing.assert_allclose(
        found["table/ExponentialMovingAverage"], keep * TABLE + (1 - keep) * found["table"], rtol=1e-6
    )


def test_asynchronous_partitioned_variables():
    build(Asynchronous(Partitioned(Balanced(DEVICES), MOST)), OPTIMIZERS["momentum"])
    assert len(tf.trainable_variables()) == 6


@pytest.mark.needs_layers
def test_layers_of_tensorflow_accept_partitioned_variables():
    values = {}
    x = RANDOM.normal(size=[2, TOWERS, 6, 6, 2]).astype(np.float32)

    def model_fn(batch, mode):
        net = tf.layers.conv2d(batch, 4, 3, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
        net = tf.layers.batch_normalization(net, training=True)
        net = tf.layers.flatten(tf.nn.relu(net))
        net = tf.layers.dense(net, 5, kernel_initializer=tf.random_normal_initializer(seed=2))
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(net)))

    for strategy in (Balanced(DEVICES), Partitioned(Balanced(DEVICES), 100)):
        with tf.Graph().as_default():
            batches = lt.inputs.from_tensors(per_tower=[tf.constant(x[:, k]) for k in range(TOWERS)])
            step = lt.build_train_step(model_fn, batches, tf.train.MomentumOptimizer(0.1, 0.9), DEVICES, strategy)
            statistics = [each.op.name for each in tf.global_variables() if "/moving_" in each.op.name]
            assert statistics == ["batch_normalization/moving_mean", "batch_normalization/moving_variance"]
            with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
                losses = [run(step.loss) for _ in range(3)]
                values[len(tf.trainable_variables())] = dict(joined(session), losses=losses)
    # kernel, bias, gamma, beta, kernel, bias; of the kernels 1 of 3 rows, and 5 of 64, are less than 100 bytes
    assert sorted(values) == [6, 3 + 1 + 1 + 1 + 13 + 1]
    whole_ones, parts = (values[count] for count in sorted(values))
    assert set(whole_ones) == set(parts)
    for name in whole_ones:
        np.testing.assert_allclose(parts[name], whole_ones[name], rtol=1e-5, atol=1e-6, err_msg=name)


CUT = Partitioned(ParameterServer(), 24)


@pytest.mark.parametrize(
    "strategy, policy, expected",
    [
        (CUT, "first", 1.0),
        (CUT, "mean", 2.0),
        (CUT, "all", 6.0),
        (Replicated(), "first", 1.0),
        (Replicated(), "mean", 2.0),
    ],
    ids=str,
)
def test_update_ops_are_one_per_part(strategy, policy, expected):
    """Of a partitioned variable tf.assign_sub returns a list; with copies, the model itself partitions it."""
    cut = {"partitioner": tf.fixed_size_partitioner(2)} if strategy.copies else {}

    def model_fn(batch, mode):
        seen = tf.get_variable("seen", [6], tf.float64, tf.zeros_initializer(), trainable=False, **cut)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(seen, batch * np.arange(6.0)))
        return lt.TowerOutput(loss=batch * tf.get_variable("w", [], tf.float64))

    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(float(tower + 1), tf.float64) for tower in range(TOWERS)])
    step = lt.build_train_step(
        model_fn, inputs, tf.train.GradientDescentOptimizer(0.1), DEVICES, strategy, update_ops=policy
    )
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
        run()
        check_copies(session)
        np.testing.assert_allclose(joined(session)["seen"], -expected * np.arange(6.0))
