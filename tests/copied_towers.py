"""Small nets on towers and on one device, for tests of strategies with a copy of the variables per tower."""
import nets
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

PER_TOWER = 4
DTYPE = np.float64

# Rates that are exact in float32: TensorFlow casts them to it in some updates of float64.
OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.25),
    "momentum": lambda: tf.train.MomentumOptimizer(0.125, 0.75),
    "adam": lambda: tf.train.AdamOptimizer(2.0**-6),
}
# Two towers on two devices, four on two, and different numbers per device.
DEVICES = [["/cpu:0", "/cpu:1"], ["/cpu:0", "/cpu:1", "/cpu:0", "/cpu:1"], ["/cpu:1", "/cpu:0", "/cpu:0"]]


def options(kind, optimizer, decay, devices):
    data = nets.examples(kind, PER_TOWER * len(devices), DTYPE)
    model_fn = nets.model(kind, DTYPE, weights=decay, collect=decay is nets.tutorial_decay)
    return data, model_fn, OPTIMIZERS[optimizer]()


def towers_step(strategy, kind, optimizer, decay, devices, use_resource=True):
    data, model_fn, made = options(kind, optimizer, decay, devices)
    split = [np.split(data[key], len(devices)) for key in ("x", "y")]
    batches = [{"x": tf.constant(x), "y": tf.constant(y)} for x, y in zip(*split)]
    inputs = lt.inputs.from_tensors(per_tower=batches)
    return lt.build_train_step(model_fn, inputs, made, devices, strategy, use_resource=use_resource)


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


def by_name(name):
    return [variable for variable in tf.global_variables() if variable.op.name == name][0]
