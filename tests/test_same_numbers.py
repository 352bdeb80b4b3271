"""Four towers of b examples compute the same as one tower of 4b; every input pipeline gives bit-equal results."""
import nets
import numpy as np
import pytest
from diagonals import diagonals

import legacy_towers as lt
from legacy_towers.compat import tf

KINDS = ("dense", "conv", "embedding")


def dense(gradient):
    return tf.convert_to_tensor(gradient)


def step_of(model_fn, arrays, towers, global_batch_size, **arguments):
    source = lt.inputs.feed(
        lt.Examples.from_arrays(arrays), global_batch_size=global_batch_size, order="fixed", epochs=None
    )
    return lt.build_train_step(
        model_fn, source, tf.train.MomentumOptimizer(0.1, 0.9), lt.devices.cpus(towers), **arguments
    )


def first_step(model_fn, arrays, towers, **arguments):
    """Returns loss and gradients (name -> array) of one step over all examples, and the variables after it."""
    with tf.Graph().as_default():
        step = step_of(model_fn, arrays, towers, len(arrays["y"]), **arguments)
        gradients = {v.op.name: dense(g) for g, v in step.gradients}
        with tf.Session(config=nets.config(towers)) as session, step.running(session) as run:
            loss, values = run([step.loss, gradients])
            return loss, values, session.run({v.op.name: v for v in tf.trainable_variables()})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype, bound", [(np.float64, 1e-12), (np.float32, 1e-5)], ids=["float64", "float32"])
@pytest.mark.parametrize("towers", [2, 4])
def test_towers_against_one_device(kind, dtype, bound, towers):
    arrays = nets.examples(kind, 32, dtype)
    model_fn = nets.model(kind, dtype)
    loss, gradients, variables = first_step(model_fn, arrays, towers)
    one_loss, one_gradients, one_variables = first_step(model_fn, arrays, 1)
    assert loss == pytest.approx(one_loss, rel=bound)
    assert sorted(gradients) == sorted(one_gradients)
    for name, gradient in gradients.items():
        assert np.abs(gradient - one_gradients[name]).max() <= bound * np.abs(one_gradients[name]).max(), name
        assert np.abs(variables[name] - one_variables[name]).max() <= bound, name


def layers_model(batch, mode):
    with tf.variable_scope("net", dtype=tf.float64):
        hidden = tf.layers.dense(
            batch["x"],
            16,
            tf.tanh,
            kernel_initializer=tf.constant_initializer(np.linspace(-1, 1, 12 * 16)),
            kernel_regularizer=nets.l2(0.1),
        )
        logits = tf.layers.dense(
            hidden,
            5,
            kernel_initializer=tf.constant_initializer(np.linspace(-1, 1, 16 * 5)),
            kernel_regularizer=nets.l2(0.1),
        )
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch["y"], logits=logits))
    return lt.TowerOutput(loss=loss)


def initial_values(name, shape):
    return np.random.RandomState(sum(map(ord, name)) % 1000).normal(size=shape, scale=0.3)


def numpy_loss_with_decay(arrays):
    """Returns the loss of the dense net of nets.py, by numpy, with 0.1 * l2_loss of both weight matrices."""
    w1, w2 = initial_values("w1", [12, 16]), initial_values("w2", [16, 5])
    logits = np.tanh(arrays["x"].dot(w1) + initial_values("b1", [16])).dot(w2) + initial_values("b2", [5])
    logits = logits - logits.max(axis=1, keepdims=True)
    log_softmax = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    entropy = -log_softmax[np.arange(len(arrays["y"])), arrays["y"]].mean()
    return entropy + 0.05 * (w1**2).sum() + 0.05 * (w2**2).sum()


DECAYS = pytest.mark.parametrize(
    "weights, collect",
    [
        (nets.get_variable_decay, False),
        (nets.get_variable_decay, True),
        (nets.tutorial_decay, True),
        (nets.total_loss_decay, False),
    ],
    ids=["get_variable", "get_variable-collected", "tutorial", "get_regularization_loss"],
)


@DECAYS
@pytest.mark.parametrize("towers", [1, 4])
def test_weight_decay_counts_exactly_once(weights, collect, towers):
    arrays = nets.examples("dense", 32)
    loss, _, _ = first_step(nets.model("dense", weights=weights, collect=collect), arrays, towers)
    assert loss == pytest.approx(numpy_loss_with_decay(arrays), rel=1e-12)


# Which variables of each net have a decay, and their shapes.
DECAYED = {
    "dense": {"w1": [12, 16], "w2": [16, 5]},
    "conv": {"k1": [3, 3, 2, 4], "w2": [144, 5]},
    "embedding": {"table": [30, 3], "w2": [12, 5]},
}


@DECAYS
@pytest.mark.parametrize("kind, towers", diagonals(2, KINDS, [1, 4]))
def test_weight_decay_adds_its_own_gradient_once(kind, weights, collect, towers):
    """Loss and gradients are those of one tower without decay, plus 0.05 * w**2 and 0.1 * w by numpy."""
    arrays = nets.examples(kind, 32)
    plain_loss, plain, _ = first_step(nets.model(kind), arrays, 1)
    loss, gradients, _ = first_step(nets.model(kind, weights=weights, collect=collect), arrays, towers)
    decayed = {name: initial_values(name, shape) for name, shape in DECAYED[kind].items()}
    assert loss == pytest.approx(plain_loss + sum(0.05 * (value**2).sum() for value in decayed.values()), rel=1e-12)
    assert sorted(gradients) == sorted(plain)
    for name, gradient in gradients.items():
        expected = plain[name] + 0.1 * decayed.get(name, 0)
        np.testing.assert_allclose(gradient, expected, rtol=1e-11, atol=1e-13, err_msg=name)


@pytest.mark.needs_layers
def test_weight_decay_of_layers_counts_exactly_once():
    arrays = nets.examples("dense", 32)
    loss, gradients, _ = first_step(layers_model, arrays, 4)
    one_loss, one_gradients, _ = first_step(layers_model, arrays, 1)
    decay = 0.05 * (np.linspace(-1, 1, 12 * 16) ** 2).sum() + 0.05 * (np.linspace(-1, 1, 16 * 5) ** 2).sum()
    assert loss > decay and loss == pytest.approx(one_loss, rel=1e-12)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, one_gradients[name], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("before", ["evaluation", "another step"])
def test_weight_decay_of_existing_variables(before):
    arrays = nets.examples("dense", 32)
    model_fn = nets.model("dense", weights=nets.get_variable_decay)
    if before == "evaluation":
        batch = {name: tf.constant(array) for name, array in arrays.items()}
        lt.replicate(model_fn, [batch], ["/cpu:0"], mode=lt.EVAL)
    else:
        step_of(model_fn, arrays, 2, 32)
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        step = step_of(model_fn, arrays, 4, 32)
    with tf.Session(config=nets.config()) as session, step.running(session) as run:
        assert run(step.loss) == pytest.approx(numpy_loss_with_decay(arrays), rel=1e-12)


def test_weight_decay_of_other_variables_is_not_counted():
    arrays = nets.examples("dense", 32)
    with tf.variable_scope("other"):
        nets.get_variable_decay("w1", [12, 16], np.float64)
    step = step_of(nets.model("dense"), arrays, 2, 32, var_list=None, on_missing="drop")
    assert step.plan.regularization.startswith("none")


def test_weight_decay_in_the_first_towers_loss_alone_is_completed():
    def model_fn(batch, mode):
        output = nets.model("dense", weights=nets.get_variable_decay)(batch, mode)
        if tf.get_default_graph().get_name_scope() == "tower_0":
            output = output._replace(loss=output.loss + tf.losses.get_regularization_loss())
        return output

    arrays = nets.examples("dense", 32)
    loss, _, _ = first_step(model_fn, arrays, 4)
    assert loss == pytest.approx(numpy_loss_with_decay(arrays), rel=1e-12)


@pytest.mark.parametrize("weights, expected", [(nets.no_decay, "sparse"), (nets.get_variable_decay, "dense")])
def test_an_embeddings_gradient_is_sparse_without_decay(weights, expected):
    """Its numbers, with and without decay, are compared above."""
    step = step_of(nets.model("embedding", weights=weights), nets.examples("embedding", 32), 4, 32)
    gradients = {variable.op.name: gradient for gradient, variable in step.gradients}
    assert isinstance(gradients["table"], tf.IndexedSlices) == (expected == "sparse")
    assert not isinstance(gradients["w2"], tf.IndexedSlices)
    kinds = {variable.name: variable.gradient for variable in step.plan.variables}
    assert kinds["table"] == expected and kinds["w2"] == "dense"


def trajectory(source, steps=50):
    with tf.Graph().as_default():
        step = lt.build_train_step(
            nets.model("conv", np.float32), source, tf.train.MomentumOptimizer(0.1, 0.9), lt.devices.cpus(4)
        )
        with tf.Session(config=nets.config()) as session, step.running(session) as run:
            return np.array([run(step.loss) for _ in range(steps)])


def pipelines(examples):
    sizes = {"per_tower_batch_size": 4, "order": "fixed"}
    return {
        "feed": lambda: lt.inputs.feed(examples, **sizes),
        "queue": lambda: lt.inputs.queue(examples, **sizes),
        "dataset:split": lambda: lt.inputs.dataset(examples, route="split", **sizes),
        "dataset:next_per_tower": lambda: lt.inputs.dataset(examples, route="next_per_tower", **sizes),
        "dataset:sharded": lambda: lt.inputs.dataset(examples, route="sharded", **sizes),
    }


def test_every_input_pipeline_gives_a_bit_equal_trajectory():
    examples = lt.Examples.from_arrays(nets.examples("conv", 200, np.float32))
    found = {name: trajectory(make()) for name, make in pipelines(examples).items()}
    assert len(set(found["feed"])) > 25, "the losses must differ from step to step, otherwise the test checks nothing"
    for name, losses in found.items():
        np.testing.assert_array_equal(losses, found["feed"], err_msg=name)
