"""Models that can't have a copy of the variables per tower are errors."""
import numpy as np
import pytest
from towers_with_copies import STRATEGIES, build, names, plain, scalar

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.towers import EVAL, TowerOutput
from legacy_towers.variables import LocalSGD, Replicated


def own_variable(batch, mode):
    return TowerOutput(loss=tf.reduce_sum(batch * tf.Variable(1.0, name="mine")))


def named_by_tower(batch, mode):
    name = tf.get_default_graph().get_name_scope()
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.get_variable(name + "/w", []))


def of_another_shape(batch, mode):
    towers_so_far = len([name for name in names(tf.local_variables()) if "w/replica" in name])
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.reduce_sum(tf.get_variable("w", [2 + towers_so_far])))


def of_another_dtype(batch, mode):
    dtype = tf.float64 if tf.local_variables() else tf.float32
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.cast(tf.get_variable("w", [], dtype), tf.float32))


def of_another_value(batch, mode):
    value = np.zeros([3 if tf.local_variables() else 2], np.float32)
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.reduce_sum(tf.get_variable("w", initializer=value)))


def one_less(batch, mode):
    output = plain(batch, mode)
    return output if tf.local_variables() else TowerOutput(loss=output.loss * scalar("other"))


REFUSED = [
    (own_variable, Replicated(), "tower 1 creates the trainable variable 'tower_1/mine', which tower 0 does not have"),
    (own_variable, LocalSGD(1), "tower 1 creates the trainable variable 'tower_1/mine', which tower 0"),
    (named_by_tower, Replicated(), "tower 1 creates the trainable variable 'tower_1/w'.*it has 'tower_0/w'"),
    (of_another_shape, Replicated(), r"tower 2 creates 'w' with shape \(3,\), tower 0 with \(2,\)"),
    (of_another_value, Replicated(), r"tower 2 creates 'w' with shape \(3,\), tower 0 with \(2,\)"),
    (of_another_dtype, LocalSGD(1), "creates 'w' as float64, tower 0 as float32"),
    (one_less, Replicated(), "tower 2 does not create the variables 'other', which tower 0 creates"),
]


@pytest.mark.parametrize(
    "model_fn, strategy, message", REFUSED, ids=lambda value: getattr(value, "__name__", "-")
)
def test_models_that_can_have_no_copies_are_refused(model_fn, strategy, message):
    with pytest.raises(TowerError, match=message):
        build(model_fn, strategy)


@pytest.mark.needs_layers
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_a_layer_created_outside_of_the_model_function_is_refused(strategy):
    layer = tf.layers.Dense(1)
    with pytest.raises(TowerError, match="tower 1 uses the variables 'dense/bias.*', 'dense/kernel.*', which are no"):
        build(lambda batch, mode: TowerOutput(loss=tf.reduce_sum(layer(batch))), strategy)


def test_two_strategies_with_copies_in_one_graph_are_refused():
    build(plain, Replicated())
    with tf.variable_scope("other"):
        build(plain, Replicated())
        with pytest.raises(ArgumentError, match="this graph has towers whose variables are copied by another strategy"):
            build(plain, LocalSGD(2))


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_more_towers_after_a_step_are_refused(strategy):
    """Their copies would keep their initial values: the existing step writes only the copies of its own towers."""
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        build(plain, strategy, towers=2)
        with pytest.raises(ArgumentError, match="3 towers in a graph whose step was built for 2.*copies of tower 2"):
            build(plain, strategy, towers=3, mode=EVAL)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_more_towers_before_a_step_use_its_copies(strategy):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        evaluated = build(plain, strategy, towers=3, mode=EVAL)
        step = lt.build_train_step(
            plain,
            lt.inputs.from_tensors(per_tower=[tf.constant(1.0), tf.constant(2.0)]),
            tf.train.GradientDescentOptimizer(0.5),
            ["/cpu:0", "/cpu:1"],
            strategy,
        )
    copies = [evaluated[0].variables.own(tower, tf.trainable_variables()[0]) for tower in range(3)]
    with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
        before = session.run(copies)
        run()
        run()
        np.testing.assert_allclose(session.run(copies), np.array(before) - 0.5 * 1.5 * 2, rtol=1e-5)
