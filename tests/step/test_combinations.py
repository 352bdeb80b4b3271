"""Models and optimizers of TensorFlow 1 scripts: several towers take the same step as one."""
import itertools

import nets
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf

COUNT = 8


class Clipped(tf.train.Optimizer):
    """An optimizer wrapper with its own compute_gradients and apply_gradients, as old code has."""

    def __init__(self, wrapped):
        super().__init__(use_locking=False, name="Clipped")
        self.wrapped = wrapped

    def compute_gradients(self, loss, var_list=None, **arguments):
        pairs = self.wrapped.compute_gradients(loss * 2.0, var_list=var_list, **arguments)
        return [(None if gradient is None else gradient * 0.5, variable) for gradient, variable in pairs]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        clipped = [(tf.clip_by_value(gradient, -0.01, 0.01), variable) for gradient, variable in grads_and_vars]
        return self.wrapped.apply_gradients(clipped, global_step=global_step, name=name)


def loss_of(hidden, batch, name="out"):
    width = hidden.shape[1].value
    weights = nets.variable(name, [width, nets.CLASSES], hidden.dtype.base_dtype.as_numpy_dtype)
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch["y"], logits=tf.matmul(hidden, weights))
    )


def plain(batch, mode):
    return lt.TowerOutput(loss=loss_of(batch["x"], batch))


def recurrent(batch, mode, read=tf.identity):
    """A recurrence over 6 rows of 2, by a while loop; its variables are read before it."""
    steps = tf.unstack(tf.reshape(batch["x"], [-1, 6, 2]), axis=1)
    sequence = tf.stack(steps)
    inner, outer = [read(nets.variable(name, [rows, 3], np.float64)) for name, rows in (("inner", 3), ("outer", 2))]

    def body(index, state):
        return index + 1, tf.tanh(tf.matmul(state, inner) + tf.matmul(sequence[index], outer))

    start = tf.zeros([tf.shape(batch["x"])[0], 3], tf.float64)
    _, last = tf.while_loop(
        lambda index, _: index < 6, body, [0, start], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])]
    )
    return lt.TowerOutput(loss=loss_of(tf.ensure_shape(last, [None, 3]), batch))


def recurrent_that_reads_inside(batch, mode):
    return recurrent(batch, mode, read=lambda variable: variable)


def make_cell():
    """Returns a recurrent cell by get_variable alone; only its base class is Keras's."""

    class Cell(tf.nn.rnn_cell.RNNCell):
        state_size = 3
        output_size = 3

        def call(self, inputs, state):
            return self(inputs, state)

        def __call__(self, inputs, state, scope=None):
            with tf.variable_scope(scope or "cell", reuse=tf.AUTO_REUSE):
                weights = nets.variable("weights", [5, 3], np.float64)
            new = tf.tanh(tf.matmul(tf.concat([inputs, state], axis=1), weights))
            return new, new

    return Cell()


def by_dynamic_rnn(batch, mode):
    sequence = tf.reshape(batch["x"], [-1, 6, 2])
    _, last = tf.nn.dynamic_rnn(make_cell(), sequence, dtype=tf.float64)
    return lt.TowerOutput(loss=loss_of(tf.ensure_shape(last, [None, 3]), batch))


def with_cond(batch, mode):
    """The branch depends on the data; both use variables."""
    one, two = nets.variable("one", [12, 4], np.float64), nets.variable("two", [12, 4], np.float64)
    hidden = tf.cond(
        tf.reduce_mean(batch["x"] ** 2) > 0.0,
        lambda: tf.tanh(tf.matmul(batch["x"], one)),
        lambda: tf.matmul(batch["x"], two),
    )
    return lt.TowerOutput(loss=loss_of(hidden, batch))


def partitioned(batch, mode):
    """A weight matrix partitioned into three slices of four rows, each with its own decay."""
    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(3)):
        values = np.linspace(-1, 1, 12 * 4).reshape([12, 4])
        weights = tf.get_variable(
            "parts",
            [12, 4],
            tf.float64,
            initializer=lambda shape, dtype, partition_info=None: tf.constant(values[: shape[0]], dtype),
            regularizer=nets.l2(0.1),
        )
    return lt.TowerOutput(loss=loss_of(tf.tanh(tf.matmul(batch["x"], tf.convert_to_tensor(weights))), batch))


def nested_layers(batch, mode):
    def dense(inputs, units):
        start = tf.constant_initializer(np.linspace(-1, 1, inputs.shape[1].value * units))
        return tf.layers.dense(inputs, units, tf.tanh, kernel_initializer=start, kernel_regularizer=nets.l2(0.1))

    hidden = batch["x"]
    with tf.variable_scope("encoder", dtype=tf.float64):
        for block in range(2):
            with tf.variable_scope("block_{}".format(block)):
                hidden = dense(dense(hidden, 4), 3)
    return lt.TowerOutput(loss=loss_of(hidden, batch))


def of_dtype(dtype):
    def model_fn(batch, mode):
        start = tf.cast(np.linspace(-1, 1, 12 * 5).reshape([12, 5]), dtype)
        weights = tf.get_variable("w", [12, 5], dtype, initializer=lambda *arguments, **names: start)
        logits = tf.matmul(tf.cast(batch["x"], dtype), weights)
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=batch["y"], logits=tf.cast(logits, tf.float32)
        )
        return lt.TowerOutput(loss=tf.reduce_mean(entropy))

    return model_fn


def one_step(model_fn, towers, optimizer=lambda: tf.train.MomentumOptimizer(0.1, 0.9), **arguments):
    """Returns the loss and each trainable variable after two steps over the same 8 examples."""
    with tf.Graph().as_default():
        source = lt.inputs.feed(
            lt.Examples.from_arrays(nets.examples("dense", COUNT)), global_batch_size=COUNT, order="fixed", epochs=None
        )
        step = lt.build_train_step(model_fn, source, optimizer(), lt.devices.cpus(towers), **arguments)
        with tf.Session(config=nets.config(towers)) as session, step.running(session) as run:
            before = session.run({v.op.name: v for v in tf.trainable_variables()})
            run()
            loss = run(step.loss)
            return loss, before, session.run({v.op.name: v for v in tf.trainable_variables()})


def check_same(model_fn, bound=1e-11, unmoved=(), **arguments):
    loss, before, after = one_step(model_fn, 4, **arguments)
    one_loss, _, one_after = one_step(model_fn, 1, **arguments)
    assert loss == pytest.approx(one_loss, rel=bound)
    assert sorted(after) == sorted(one_after)
    for name, value in after.items():
        np.testing.assert_allclose(
            value.astype(np.float64), one_after[name].astype(np.float64), rtol=bound, atol=bound, err_msg=name
        )
        assert (value != before[name]).any() == (name not in unmoved), "{} changes unless it is unmoved".format(name)


MODELS = {
    "while_loop": (recurrent, {}),
    "while_loop that reads inside": (recurrent_that_reads_inside, {}),
    "dynamic_rnn": (by_dynamic_rnn, {}),
    "cond": (with_cond, {"unmoved": ["two"]}),
    "partitioned variables with decay": (partitioned, {}),
    "float16": (of_dtype(tf.float16), {"bound": 2e-3, "optimizer": lambda: tf.train.GradientDescentOptimizer(0.1)}),
    "bfloat16": (of_dtype(tf.bfloat16), {"bound": 2e-2, "optimizer": lambda: tf.train.GradientDescentOptimizer(0.1)}),
}
# TF 2.21 itself can't differentiate this model on another device than the variable's: it colocates the gradient's stack
# with a read that has no device of its own ("Cannot colocate nodes"), with and without towers.
NOT_BY_TENSORFLOW = [("while_loop that reads inside", "resource")]


@pytest.mark.parametrize(
    "model, kind",
    [
        pytest.param(*case, marks=[pytest.mark.needs_layers] if case[0] == "dynamic_rnn" else [])
        for case in itertools.product(sorted(MODELS), ["resource", "ref"])
        if case not in NOT_BY_TENSORFLOW
    ],
)
def test_models(model, kind):
    model_fn, arguments = MODELS[model]
    check_same(model_fn, use_resource=kind == "resource", **arguments)


@pytest.mark.needs_layers
def test_layers_in_nested_scopes():
    check_same(nested_layers)


OPTIMIZERS = {
    "of its own compute_gradients": lambda: Clipped(tf.train.GradientDescentOptimizer(0.1)),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.01, centered=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
}


@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
def test_optimizers(optimizer):
    check_same(plain, bound=1e-9, optimizer=OPTIMIZERS[optimizer])


def test_clipping_after_the_mean_is_not_before_it():
    """The wrapper's apply_gradients gets the mean: no weight changes by more than 0.1 * 0.01 in a step."""
    _, before, after = one_step(plain, 4, OPTIMIZERS["of its own compute_gradients"])
    moved = np.abs(after["out"] - before["out"]).max()
    assert moved == pytest.approx(2 * 0.1 * 0.01, rel=1e-6)  # the rate is a float32
