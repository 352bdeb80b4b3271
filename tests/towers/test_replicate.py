"""replicate: one set of variables, a scope and a device per tower; models that do not fit are refused."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError, TowerError
from legacy_towers.towers import TRAIN, TowerOutput, replicate
from legacy_towers.variables import LocalSGD, ParameterServer, Partitioned, Replicated, RoundRobin

DEVICES = ["/cpu:{}".format(index) for index in range(4)]


def batches(towers=4):
    return [tf.ones([2, 3]) * (index + 1) for index in range(towers)]


def linear(batch, mode):
    weights = tf.get_variable("fc/w", [3, 1])
    bias = tf.get_variable("fc/b", [1], initializer=tf.zeros_initializer())
    return TowerOutput(loss=tf.reduce_mean(tf.matmul(batch, weights) + bias))


def listed_metrics(batch, mode):
    output = linear(batch, mode)
    return output._replace(metrics=[output.loss])


def mid_loop(batch, mode):
    output = linear(batch, mode)
    tf.get_variable_scope().reuse_variables()
    return output


def auto_reuse(batch, mode):
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        return linear(batch, mode)


@pytest.mark.parametrize("model_fn", [linear, mid_loop, auto_reuse], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_every_reuse_style_gives_the_variables_of_one_tower(model_fn, kind):
    replicate(model_fn, batches(), DEVICES, use_resource=kind == "resource")
    assert [v.op.name for v in tf.global_variables()] == ["fc/w", "fc/b"]
    assert {v.op.type for v in tf.global_variables()} == {"VarHandleOp" if kind == "resource" else "VariableV2"}


@pytest.mark.needs_layers
def test_unnamed_layers_are_shared_too():
    def model_fn(batch, mode):
        hidden = tf.layers.dense(batch, 4)
        return TowerOutput(loss=tf.reduce_mean(tf.layers.dense(hidden, 1)))

    replicate(model_fn, batches(), DEVICES)
    names = [v.op.name for v in tf.global_variables()]
    assert names == ["dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"]


def test_scopes_and_devices():
    towers = replicate(linear, batches(), DEVICES)
    assert [tower.scope for tower in towers] == ["tower_0/", "tower_1/", "tower_2/", "tower_3/"]
    assert [tower.loss.device for tower in towers] == ["/device:CPU:{}".format(k) for k in range(4)]


def test_a_second_set_of_towers_reuses_the_first_ones_variables():
    replicate(linear, batches(), DEVICES)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        again = replicate(linear, batches(2), DEVICES[:2], mode="eval")
    assert len(tf.global_variables()) == 2
    assert again[1].scope == "tower_1_1/"


@pytest.mark.parametrize("strategy", [None, Partitioned(ParameterServer(), 4), Replicated(), LocalSGD(2)], ids=repr)
def test_a_second_set_of_towers_without_reuse_is_refused(strategy):
    replicate(linear, batches(2), DEVICES[:2], strategy)
    with pytest.raises(TowerError, match="has a variable 'fc/w' already, .* build each step in its own graph"):
        replicate(linear, batches(2), DEVICES[:2], strategy)


def test_a_name_that_the_model_creates_twice_is_tensorflows_error():
    def twice(batch, mode):
        linear(batch, mode)
        return linear(batch, mode)

    with pytest.raises(ValueError, match="Variable fc/w already exists") as caught:
        replicate(twice, batches(2), DEVICES[:2])
    assert not isinstance(caught.value, TowerError)


@pytest.mark.parametrize(
    "strategy, expected",
    [
        (None, ["/device:CPU:0"] * 2),
        (ParameterServer("/cpu:3"), ["/device:CPU:3"] * 2),
        (RoundRobin(["/cpu:1", "/cpu:2"]), ["/device:CPU:1", "/device:CPU:2"]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_variables_live_where_the_strategy_says(strategy, expected, kind):
    replicate(linear, batches(), DEVICES, variables=strategy, use_resource=kind == "resource")
    assert [v.device for v in tf.global_variables()] == expected


def test_tf_device_inside_the_model_is_kept():
    def model_fn(batch, mode):
        with tf.device("/cpu:2"):
            inner = tf.reduce_sum(batch, name="inner")
        return TowerOutput(loss=inner * tf.get_variable("w", []))

    towers = replicate(model_fn, batches(2), ["/gpu:0", "/gpu:1"])
    graph = tf.get_default_graph()
    assert graph.get_operation_by_name("tower_1/inner").device == "/device:CPU:2"
    assert towers[1].loss.device == "/device:GPU:1"


def test_tf_device_of_another_type_does_not_get_the_towers_index():
    def model_fn(batch, mode):
        with tf.device("/cpu"):
            return TowerOutput(loss=tf.reduce_sum(batch, name="inner"))

    replicate(model_fn, batches(2), ["/gpu:0", "/gpu:1"])
    assert tf.get_default_graph().get_operation_by_name("tower_1/inner").device == "/device:CPU:*"


def test_losses_are_collected_per_tower():
    def model_fn(batch, mode):
        weights = tf.get_variable("w", [3, 1])
        tf.losses.mean_squared_error(tf.ones([2, 1]), tf.matmul(batch, weights))
        tf.add_to_collection("losses", 0.5 * tf.nn.l2_loss(weights))
        return TowerOutput()

    towers = replicate(model_fn, batches(3), DEVICES[:3])
    assert [len(tower.collected.losses) for tower in towers] == [2, 2, 2]
    assert len({tower.loss.name for tower in towers}) == 3
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        losses, parts = session.run(
            [[tower.loss for tower in towers], [tower.collected.losses for tower in towers]]
        )
    assert losses == pytest.approx([sum(part) for part in parts])


def no_loss(batch, mode):
    return TowerOutput()


def matrix_loss(batch, mode):
    return TowerOutput(loss=tf.square(batch))


def integer_loss(batch, mode):
    return TowerOutput(loss=tf.constant(1))


def number_loss(batch, mode):
    return TowerOutput(loss=1.5)


def nothing(batch, mode):
    tf.get_variable("w", [])


def bare_tensor(batch, mode):
    return tf.reduce_sum(batch)


def own_variable(batch, mode):
    return TowerOutput(loss=tf.reduce_sum(batch * tf.Variable(1.0, name="mine")))


def named_by_tower(batch, mode):
    name = tf.get_default_graph().get_name_scope()
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.get_variable(name + "/w", []))


def own_counter(batch, mode):
    counter = tf.Variable(0, trainable=False, name="counter")
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.cast(counter, tf.float32))


def all_losses(batch, mode):
    tf.add_to_collection("losses", tf.reduce_sum(batch, name="entropy"))
    return TowerOutput(loss=tf.add_n(tf.get_collection("losses")))


def forgotten_loss(batch, mode):
    tf.add_to_collection("losses", tf.nn.l2_loss(batch, name="decay"))
    return TowerOutput(loss=tf.reduce_sum(batch))


@pytest.mark.parametrize(
    "model_fn, message",
    [
        (no_loss, "returned no loss for tower 0 and added none to the collection 'losses'"),
        (matrix_loss, r"loss of tower 0 .* has shape \(2, 3\): return a scalar"),
        (integer_loss, "loss of tower 0 .* is int32, not a floating-point number"),
        (number_loss, "loss of tower 0 is a float, not a tensor"),
        (nothing, "returned nothing for tower 0"),
        (bare_tensor, "returned a .*Tensor for tower 0"),
        (own_variable, "tower 1 creates the trainable variable 'tower_1/mine', which tower 0 does not have"),
        (named_by_tower, "tower 1 creates the trainable variable 'tower_1/w'.*it has 'tower_0/w'"),
        (own_counter, "tower 1 creates the variable 'tower_1/counter'"),
        (all_losses, "loss of tower 1 contains 'tower_0/entropy:0', which tower 0 added to the collection"),
        (listed_metrics, "the metrics of tower 0 are \\[.*: give a dict, name -> tensor"),
        (forgotten_loss, "tower 0 added 'tower_0/decay:0' to the collection 'losses', but the loss it returned"),
    ],
    ids=lambda value: getattr(value, "__name__", "-"),
)
def test_models_that_do_not_fit_are_refused(model_fn, message):
    with pytest.raises(TowerError, match=message):
        replicate(model_fn, batches(), DEVICES)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"devices": []}, "devices is"),
        ({"devices": "/cpu:0"}, "give a list with one device string per tower"),
        ({"devices": 4}, "devices is 4: give a list with one device string per tower"),
        ({"devices": DEVICES[:3]}, "4 batches for 3 towers"),
        ({"batches": 4}, "batches is 4: give a list with one batch per tower"),
        ({"model_fn": None}, "model_fn is None: give a function that takes .batch, mode. and returns a TowerOutput"),
        ({"mode": "training"}, "mode is 'training': allowed are 'train', 'eval', 'predict'"),
        ({"use_resource": "Resource"}, "use_resource is \'Resource\': give True or False"),
    ],
)
def test_bad_arguments(change, message):
    arguments = {"model_fn": linear, "batches": batches(), "devices": DEVICES, "mode": TRAIN}
    with pytest.raises(ArgumentError, match=message):
        replicate(**dict(arguments, **change))


def test_a_bad_device_string_is_refused():
    with pytest.raises(DeviceError, match="'/banana' is not a device string"):
        replicate(linear, batches(2), ["/cpu:0", "/banana"])
