"""Towers that pass tensors to each other: wrong arguments and orders are refused, and the graph stays small."""
import numpy as np
import pytest
from connected_towers import across, connected, evaluate, of_batch

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.towers import EVAL, TRAIN, TowerOutput, replicate
from legacy_towers.towers.batch_norm import cross_tower_batch_norm
from legacy_towers.variables import Strategy


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
        (in_a_condition, "'bn' is inside a tf.cond, a tf.while_loop or a function"),
        (in_a_loop, "'bn' is inside a tf.cond, a tf.while_loop or a function"),
        (inner_gradient, "the model function of tower 0 takes gradients through lt.cross_tower_batch_norm 'bn'"),
    ],
    ids=lambda value: getattr(value, "__name__", "-"),
)
def test_layers_in_control_flow_or_in_another_order_are_refused(model_fn, message):
    with pytest.raises(TowerError, match=message):
        connected(model_fn, np.ones([2, 4, 3]))


def test_training_in_a_tower_that_validates_is_refused():
    with pytest.raises(TowerError, match="'bn' has training=True in tower 1, which is built for mode 'eval'"):
        connected(of_batch(training=True), np.ones([3, 4, 2]), modes=[TRAIN, EVAL, TRAIN])


def test_replicate_alone_refuses_to_train():
    with pytest.raises(TowerError, match="'bn' with training=True works only in the model function of lt.build"):
        replicate(of_batch(), [tf.ones([2, 3])] * 2, lt.devices.cpus(2))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"epsilon": -1}, "epsilon is -1 in lt.cross_tower_batch_norm: give a number of 0 or more"),
        ({"epsilon": float("nan")}, "epsilon is nan"),
        ({"epsilon": "small"}, "epsilon is 'small'"),
        ({"momentum": 2}, "momentum is 2 in lt.cross_tower_batch_norm: give a number from 0 to 1"),
        ({"momentum": -0.5}, "momentum is -0.5"),
        ({"momentum": None}, "momentum is None"),
    ],
    ids=str,
)
def test_numbers_out_of_range_are_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        lt.cross_tower_batch_norm(tf.ones([2, 3]), training=False, **arguments)


class OwnGradients(Strategy):
    updates = "own"

    def __repr__(self):
        return "OwnGradients()"


def test_towers_that_apply_their_own_gradients_are_refused():
    with pytest.raises(ArgumentError, match=r"with variables=OwnGradients\(\) each updates its variables on its own"):
        connected(of_batch(), np.ones([2, 4, 3]), strategy=OwnGradients())


def test_a_session_with_unconnected_towers_fails():
    towers, _ = connected(of_batch(), np.ones([2, 4, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="the towers were not connected"):
        evaluate(towers[0].loss)


def scaled_before(batch, mode):
    outputs = across(batch * tf.get_variable("w", [], tf.float64), True, name="bn")
    return TowerOutput(loss=tf.reduce_mean(outputs ** 3))


def test_gradients_that_were_not_connected_are_refused():
    towers, cross_tower = connected(scaled_before, np.random.rand(2, 4, 3))
    for tower in towers:
        tf.gradients(tower.loss, tf.trainable_variables())
    with pytest.raises(TowerError, match="gradients were computed through .* 'bn' outside of `with cross_tower"):
        cross_tower.connect()


def test_a_loss_without_the_layer_is_refused():
    towers, cross_tower = connected(scaled_before, np.random.rand(2, 4, 3))
    with pytest.raises(TowerError, match="of tower 1 go through .* 'bn' 1 times, those of tower 0 0 times"):
        with cross_tower.gradients():
            tf.gradients(towers[1].loss, tf.trainable_variables())


def test_gradients_of_a_connected_tower_are_refused():
    towers, cross_tower = connected(scaled_before, np.random.rand(2, 4, 3))
    cross_tower.connect()
    with pytest.raises(TowerError, match="whose towers are connected already"):
        tf.gradients(towers[0].loss, tf.trainable_variables())


def test_second_derivatives_are_refused():
    towers, cross_tower = connected(scaled_before, np.random.rand(2, 4, 3))
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
        (lambda: tf.ones([2, 3], tf.int32), {}, "give a floating-point tensor of static rank"),
        (lambda: tf.placeholder(tf.float32), {}, "give a floating-point tensor of static rank"),
        (lambda: tf.placeholder(tf.float32, [2, None]), {}, "the size along axis -1 must be static"),
    ],
    ids=["tensor", "example", "rank", "a word", "integers", "unknown", "size"],
)
def test_arguments(inputs, options, message):
    options = dict({"training": lambda: False}, **options)
    with pytest.raises(ArgumentError, match=message):
        cross_tower_batch_norm(inputs(), **{name: value() for name, value in options.items()})


def test_collections_are_empty_after_connect():
    towers, cross_tower = connected(scaled_before, np.random.rand(2, 4, 3))
    with cross_tower.gradients():
        for tower in towers:
            tf.gradients(tower.loss, tf.trainable_variables())
    cross_tower.connect()
    left = [key for key in tf.get_default_graph().get_all_collection_keys() if "legacy_towers" in str(key)]
    assert [tf.get_collection(key) for key in left] == [[]] * len(left)


def test_operations_per_tower_do_not_depend_on_the_number_of_towers():
    def operations(towers):
        with tf.Graph().as_default() as graph:
            # Sizes other than the number of towers: TensorFlow shares constants among gradients of equal shapes.
            built, cross_tower = connected(scaled_before, np.random.rand(towers, 7, 5))
            with cross_tower.gradients():
                for tower in built:
                    tf.gradients(tower.loss, tf.trainable_variables())
            cross_tower.connect()
            return len(graph.get_operations())

    two, four, eight = operations(2), operations(4), operations(8)
    assert eight - four == 2 * (four - two)
