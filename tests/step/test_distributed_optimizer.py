"""DistributedOptimizer against the wrapped optimizer on one device with all examples."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError

TOWERS = 2
EXAMPLES = np.random.RandomState(0).normal(size=[5, TOWERS * 3, 4])  # steps, examples, features
TARGETS = np.random.RandomState(1).normal(size=[5, TOWERS * 3])


def momentum():
    return tf.train.MomentumOptimizer(0.1, 0.9)


def adam():
    return tf.train.AdamOptimizer(0.05)


def loss_of(x, y):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE, use_resource=True):
        w = tf.get_variable("w", [4, 3], tf.float64, tf.constant_initializer(np.linspace(-1, 1, 12)))
        v = tf.get_variable("v", [3], tf.float64, tf.constant_initializer([0.5, -0.3, 0.8]))
    return tf.reduce_mean((tf.reduce_sum(tf.tanh(tf.matmul(x, w)) * v, 1) - y) ** 2)


def fed(towers=TOWERS):
    """Returns placeholders for all examples of a step, and the loss of each tower on its part of them."""
    x, y = tf.placeholder(tf.float64, [None, 4]), tf.placeholder(tf.float64, [None])
    losses = []
    for index, (part, targets) in enumerate(zip(tf.split(x, towers), tf.split(y, towers))):
        with tf.device("/cpu:{}".format(index)):
            losses.append(loss_of(part, targets))
    return (x, y), losses


def trained(train_op, feeds, steps=5, global_step=None):
    """Returns all global variables after each of the steps."""
    history = []
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for step in range(steps):
            session.run(train_op, dict(zip(feeds, (EXAMPLES[step], TARGETS[step]))))
            history.append({v.op.name: session.run(v) for v in tf.global_variables()})
    return history


def on_one_device(optimizer, steps=5, clip=None, scale=1.0):
    with tf.Graph().as_default():
        feeds, losses = fed(1)
        opt = optimizer()
        pairs = [(gradient * scale, v) for gradient, v in opt.compute_gradients(losses[0])]
        return trained(opt.apply_gradients(clipped(pairs, clip), tf.train.get_or_create_global_step()), feeds, steps)


def clipped(pairs, clip):
    if clip is None:
        return pairs
    gradients, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], clip)
    return list(zip(gradients, [v for _, v in pairs]))


def assert_equal(found, expected, rtol=1e-11):
    for step, (one, other) in enumerate(zip(found, expected)):
        assert sorted(one) == sorted(other)
        for name in other:
            np.testing.assert_allclose(one[name], other[name], rtol=rtol, atol=1e-13, err_msg=(step, name))


@pytest.mark.parametrize("optimizer", [momentum, adam], ids=lambda each: each.__name__)
def test_towers_train_as_one_device_with_the_same_names(optimizer):
    feeds, losses = fed()
    opt = lt.DistributedOptimizer(optimizer())
    train_op = opt.minimize(losses, global_step=tf.train.get_or_create_global_step())
    assert_equal(trained(train_op, feeds), on_one_device(optimizer))


def test_gradients_can_be_clipped_before_they_are_applied():
    feeds, losses = fed()
    opt = lt.DistributedOptimizer(momentum())
    pairs = clipped(opt.compute_gradients(losses), 0.1)
    train_op = opt.apply_gradients(pairs, global_step=tf.train.get_or_create_global_step(), name="train")
    assert getattr(train_op, "op", train_op).name == "train"
    assert_equal(trained(train_op, feeds), on_one_device(momentum, clip=0.1))


@pytest.mark.parametrize(
    "options, scale, rtol",
    [
        ({"op": "sum"}, TOWERS, 1e-11),
        ({"compression": lt.Compression.none}, 1, 1e-11),
        ({"compression": lt.Compression.fp16}, 1, 2e-2),
        ({"compression": lt.Compression.bf16}, 1, 1e-1),
        ({"reduction": lt.gradients.tree()}, 1, 1e-11),
        ({"reduction": lt.gradients.chain(lt.gradients.loss_scale(64.0), lt.gradients.mean())}, 1, 1e-11),
        ({"devices": ["/cpu:1", "/cpu:0"]}, 1, 1e-11),
    ],
    ids=str,
)
def test_options(options, scale, rtol):
    feeds, losses = fed()
    train_op = lt.DistributedOptimizer(momentum(), **options).minimize(
        losses, global_step=tf.train.get_or_create_global_step()
    )
    assert_equal(trained(train_op, feeds, 2), on_one_device(momentum, 2, scale=scale), rtol)


def numpy_momentum(gradients_per_update, x0):
    """Momentum on loss = mean(x * fed), whose gradient is what is fed."""
    x, slot = np.array(x0), np.zeros_like(x0)
    for gradient in gradients_per_update:
        slot = 0.5 * slot + gradient
        x = x - 0.125 * slot
    return x, slot


@pytest.mark.parametrize("clip", [None, 1.0])
@pytest.mark.parametrize("average", [False, True])
def test_backward_passes_per_step_accumulates(average, clip):
    slopes = [tf.placeholder(tf.float64, [2]) for _ in range(TOWERS)]
    w = tf.get_variable("w", initializer=np.array([1.0, -2.0]), use_resource=True)
    # Rates that are exact in float32, the dtype in which TensorFlow holds them.
    inner = tf.train.MomentumOptimizer(0.125, 0.5)
    opt = lt.DistributedOptimizer(inner, backward_passes_per_step=3, average_aggregated_gradients=average)
    step = tf.train.get_or_create_global_step()
    pairs = clipped(opt.compute_gradients([tf.reduce_sum(w * slope) for slope in slopes]), clip)
    train_op = opt.apply_gradients(pairs, global_step=step)
    values = np.random.RandomState(0).normal(size=[7, TOWERS, 2])
    means = values.mean(1)
    updates = [means[:3].sum(0), means[3:6].sum(0)]
    if average:
        updates = [update / 3 for update in updates]
    if clip is not None:
        updates = [update * min(1, clip / np.linalg.norm(update)) for update in updates]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for number, value in enumerate(values, 1):
            session.run(train_op, dict(zip(slopes, value)))
            expected = numpy_momentum(updates[: number // 3], [1.0, -2.0])
            np.testing.assert_allclose(session.run([w, opt.get_slot(w, "momentum")]), expected, rtol=1e-12)
            assert session.run(step) == number
    assert [v.op.name for v in tf.global_variables()] == ["w", "global_step", "w/Momentum"]
    assert repr(opt.reduction) == "chain(mean(), accumulate(3){})".format("" if average else ", scale(3.0)")


@pytest.mark.parametrize("dense", [False, True])
def test_gradients_of_embeddings(dense):
    table = tf.get_variable("table", [5, 2], tf.float64, tf.zeros_initializer(), use_resource=True)
    losses = [tf.reduce_sum(tf.nn.embedding_lookup(table, ids)) for ids in ([0, 1], [1, 3])]
    opt = lt.DistributedOptimizer(tf.train.GradientDescentOptimizer(1.0), sparse_as_dense=dense)
    pairs = opt.compute_gradients(losses)
    assert isinstance(pairs[0][0], tf.IndexedSlices) is not dense
    train_op = opt.apply_gradients(pairs)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train_op)
        np.testing.assert_allclose(session.run(table)[:, 0], [-0.5, -1, 0, -0.5, 0])


def test_each_towers_gradients_are_computed_on_its_device():
    feeds, losses = fed()
    lt.DistributedOptimizer(momentum()).compute_gradients(losses)
    for index in range(TOWERS):
        scope = "DistributedMomentumOptimizer/tower_{}/gradients/".format(index)
        made = [op for op in tf.get_default_graph().get_operations() if op.name.startswith(scope)]
        assert {op.device for op in made if "MatMul" in op.name} == {"/device:CPU:{}".format(index)}


def test_a_single_loss_is_one_tower():
    w = tf.get_variable("w", initializer=2.0, use_resource=True)
    train_op = lt.DistributedOptimizer(tf.train.GradientDescentOptimizer(0.5)).minimize(3 * w)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train_op)
        assert session.run(w) == 0.5


@pytest.mark.parametrize("devices", [TOWERS, 1], ids=["two devices", "one device"])
def test_the_loss_of_one_tower_of_several_is_refused(devices):
    x, y = tf.placeholder(tf.float64, [None, 4]), tf.placeholder(tf.float64, [None])
    losses = []
    for index in range(TOWERS):
        with tf.device("/cpu:{}".format(index % devices)):
            losses.append(loss_of(x[index::TOWERS], y[index::TOWERS]))
    with pytest.raises(TowerError, match="'Mean:0' alone, but 'Mean_1:0' looks like the loss of another tower"):
        lt.DistributedOptimizer(momentum()).minimize(losses[0])
    lt.DistributedOptimizer(momentum()).minimize([losses[0]])  # meant


def test_a_moving_average_of_the_loss_is_not_another_towers_loss():
    loss = loss_of(tf.placeholder(tf.float64, [None, 4]), tf.placeholder(tf.float64, [None]))
    with tf.device("/cpu:1"):
        tf.summary.scalar("loss", tf.reduce_mean(loss))
        tf.summary.histogram("w", tf.trainable_variables()[0])
        tf.reduce_mean(tf.trainable_variables()[0])  # of one variable alone
    lt.DistributedOptimizer(momentum()).minimize(loss)


def test_slots_and_variables_are_those_of_the_wrapped_optimizer():
    feeds, losses = fed()
    inner = adam()
    opt = lt.DistributedOptimizer(inner, name="Towers")
    opt.minimize(losses)
    w = tf.trainable_variables()[0]
    assert opt.get_name() == "Towers"
    assert opt.get_slot_names() == ["m", "v"]
    assert opt.get_slot(w, "m") is inner.get_slot(w, "m") is not None
    assert [v.op.name for v in opt.variables()] == [v.op.name for v in inner.variables()]
    assert opt.hooks == []


def test_checkpoints_restore_with_and_without_the_wrapper(tmp_path):
    def build(distributed):
        feeds, losses = fed(TOWERS if distributed else 1)
        opt = lt.DistributedOptimizer(adam(), backward_passes_per_step=2) if distributed else adam()
        return opt.minimize(losses if distributed else losses[0]), feeds

    for first in (True, False):
        path = str(tmp_path / str(first))
        with tf.Graph().as_default(), tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session:
            train_op, feeds = build(first)
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            for step in range(2):
                session.run(train_op, dict(zip(feeds, (EXAMPLES[step], TARGETS[step]))))
            saved = {v.op.name: session.run(v) for v in tf.global_variables()}
            tf.train.Saver().save(session, path)
        with tf.Graph().as_default(), tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session:
            build(not first)
            tf.train.Saver().restore(session, path)
            for variable in tf.global_variables():
                np.testing.assert_array_equal(session.run(variable), saved[variable.op.name])


def test_the_example_of_the_docstring_runs_in_a_monitored_session():
    devices = lt.devices.cpus(2)
    dataset = tf.data.Dataset.from_tensor_slices((EXAMPLES[0], TARGETS[0])).repeat(4).batch(3)
    get_next = tf.data.make_one_shot_iterator(dataset).get_next

    losses = []
    for index, device in enumerate(devices):
        with tf.device(device), tf.variable_scope("model", reuse=index > 0, use_resource=True):
            losses.append(loss_of(*get_next()))
    optimizer = lt.DistributedOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), compression=lt.Compression.fp16)
    train_op = optimizer.minimize(losses, global_step=tf.train.get_or_create_global_step())

    seen = []
    with tf.train.MonitoredTrainingSession(
        hooks=optimizer.hooks, config=lt.session_config(logical_cpus=2)
    ) as session:
        while not session.should_stop():
            seen.append(session.run([train_op, losses])[1])
    assert len(seen) == 4
    assert np.mean(seen[-1]) < np.mean(seen[0])


def test_two_accumulating_optimizers_apply_their_own_gradients():
    one, two = (tf.get_variable(name, initializer=0.0, use_resource=True) for name in ("one", "two"))
    # The first applies every second run, the second every third; both are computed before either is applied.
    opts = [
        lt.DistributedOptimizer(tf.train.GradientDescentOptimizer(1.0), backward_passes_per_step=passes)
        for passes in (2, 3)
    ]
    pairs = [opt.compute_gradients([-v, -v], var_list=[v]) for opt, v in zip(opts, (one, two))]
    train_op = tf.group(*[opt.apply_gradients(each) for opt, each in zip(opts, pairs)])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for number in range(1, 7):
            session.run(train_op)
            assert session.run([one, two]) == [number // 2 * 2, number // 3 * 3]


def test_gradients_of_two_calls_are_applied_separately():
    one, two = (tf.get_variable(name, initializer=0.0, use_resource=True) for name in ("one", "two"))
    opt = lt.DistributedOptimizer(tf.train.GradientDescentOptimizer(1.0), backward_passes_per_step=2)
    first, second = (opt.compute_gradients([-v, -v], var_list=[v]) for v in (one, two))
    ops = [opt.apply_gradients(pairs) for pairs in (first, second)]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(ops[0])
        session.run(ops[0])
        session.run(ops[1])
        assert session.run([one, two]) == [2, 0]
    with pytest.raises(TowerError, match="come from 2 calls of compute_gradients, and with the reduction chain"):
        opt.apply_gradients(first + second)


def test_other_gradients_are_applied_unchanged():
    w = tf.get_variable("w", initializer=0.0, use_resource=True)
    opt = lt.DistributedOptimizer(tf.train.GradientDescentOptimizer(1.0), backward_passes_per_step=2)
    opt.compute_gradients([w])
    train_op = opt.apply_gradients([(tf.constant(-1.0), w)])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(train_op)
        assert session.run(w) == 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"op": "adasum"}, "op is 'adasum': allowed are 'average', 'sum'"),
        ({"compression": "int8"}, "dtype is 'int8': allowed are"),
        ({"reduction": lt.gradients.mean(), "op": "sum"}, "op and compression choose a reduction"),
        ({"reduction": lt.gradients.mean(), "compression": lt.Compression.fp16}, "op and compression choose"),
        ({"reduction": "means"}, "reduction: there is no reduction 'means', did you mean 'mean'. The names are 'mean'"),
        ({"backward_passes_per_step": 0}, "steps is 0"),
        ({"average_aggregated_gradients": True}, "is for backward_passes_per_step of 2 or more"),
        ({"devices": ["/xpu:0:"]}, "/xpu"),
        ({"devices": 2}, "devices is 2: give a list with one device string per loss"),
        ({"devices": "/cpu:0"}, "devices is '/cpu:0': give a list with one device string per loss"),
        ({"optimizer": tf.train.AdamOptimizer}, "optimizer is <class .*: give a tf.train.Optimizer"),
        ({"optimizer": "adam"}, "optimizer is 'adam'"),
    ],
    ids=str,
)
def test_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        lt.DistributedOptimizer(**dict({"optimizer": momentum()}, **options))


@pytest.mark.parametrize(
    "losses, options, message",
    [
        (lambda: [], {}, "0 losses for 0 devices"),
        (lambda: [tf.constant(1.0), 2.0], {}, "the loss of tower 1 is 2.0"),
        (lambda: [tf.constant(1.0)], {"devices": ["/cpu:0", "/cpu:1"]}, "1 losses for 2 devices"),
        (lambda: [tf.constant(1.0, name="loss")] * 2, {}, "towers 0 and 1 have the same loss, 'loss:0'"),
    ],
    ids=["none", "number", "devices", "twice"],
)
def test_bad_losses_are_refused(losses, options, message):
    tf.get_variable("w", initializer=0.0)
    with pytest.raises(ArgumentError, match=message):
        lt.DistributedOptimizer(momentum(), **options).minimize(losses())


def test_a_tower_without_a_gradient_is_named():
    one, two = (tf.get_variable(name, initializer=1.0, use_resource=True) for name in ("one", "two"))
    with pytest.raises(TowerError, match="tower 1 has no gradient for 'two'"):
        lt.DistributedOptimizer(momentum()).minimize([one * two, one])
