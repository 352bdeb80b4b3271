"""A model with two losses, each with its own variable, on several towers, and what numpy computes for it."""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS = 3
CONFIG = lt.session_config(logical_cpus=TOWERS)
ROWS = np.random.RandomState(0).normal(size=[TOWERS, 4, 2])
# Exact in float32, the dtype of learning rates.
RATES = {"generator": 0.125, "discriminator": 0.25}
START = {"generator": np.array([1.0, -2.0]), "discriminator": np.array([0.5, 3.0])}


def variable(name, **options):
    return tf.get_variable(name, dtype=tf.float64, **options)


def model_fn(batch, mode):
    """g = sum(x (u u - v)), d = sum(x u v v): each loss depends on the other objective's variable too."""
    with tf.variable_scope("generator"):
        u = variable("w", initializer=START["generator"])
    with tf.variable_scope("discriminator"):
        v = variable("w", initializer=START["discriminator"])
    of_generator = tf.reduce_mean(tf.reduce_sum(batch * (u * u - v), axis=1))
    of_discriminator = tf.reduce_mean(tf.reduce_sum(batch * u * v * v, axis=1))
    return lt.TowerOutput(loss={"generator": of_generator, "discriminator": of_discriminator})


def objectives(**steps):
    return [
        lt.Objective(name, tf.train.GradientDescentOptimizer(RATES[name]), name, steps.get(name))
        for name in ("discriminator", "generator")
    ]


def build(optimizer, model_fn=model_fn, **options):
    inputs = lt.inputs.from_tensors(per_tower=[tf.constant(rows) for rows in ROWS])
    return lt.build_train_step(model_fn, inputs, optimizer, lt.devices.cpus(TOWERS), **options)


def in_numpy(schedule):
    """Returns the two variables after steps, each of which trains the given objectives at the same time."""
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
