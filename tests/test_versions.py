"""Results of this TensorFlow compared with recorded ones (tests/reference), and checkpoints between versions."""
import os

import nets
import numpy as np
import pytest
import version_runs as runs

import legacy_towers as lt
from legacy_towers.compat import tf

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference")
RECORDED = sorted(name for name in os.listdir(REFERENCE) if os.path.isdir(os.path.join(REFERENCE, name)))

each_version = pytest.mark.parametrize("version", RECORDED)
each_kind = pytest.mark.parametrize("kind", runs.KINDS)
each_optimizer = pytest.mark.parametrize("optimizer", sorted(runs.OPTIMIZERS))


def recorded(version, name):
    with np.load(os.path.join(REFERENCE, version, name + ".npz"), allow_pickle=False) as values:
        return {key.replace("|", "/"): values[key] for key in values.files}


@pytest.fixture(scope="module")
def own(request):
    """Returns a function (kind, dtype) -> the trajectory of this TensorFlow, computed once."""
    known = {}

    def trajectory(kind, dtype):
        if (kind, dtype) not in known:
            known[kind, dtype] = runs.trajectory(kind, dtype)
        return known[kind, dtype]

    return trajectory


def test_both_reference_versions_are_recorded():
    assert {"tf115", "tf221"} <= set(RECORDED)


@each_version
@each_kind
def test_50_steps_in_float64(own, kind, version):
    theirs, ours = recorded(version, kind + "-float64"), own(kind, np.float64)
    assert theirs["losses"].shape == (50,) and len(set(theirs["losses"])) == 50
    np.testing.assert_allclose(ours["losses"], theirs["losses"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours["final"], theirs["final"], rtol=0, atol=1e-9)


@each_version
@each_kind
def test_each_restarted_step_in_float32(own, kind, version):
    theirs = recorded(version, kind + "-float32")
    assert len(theirs["before"]) == runs.SNAPSHOTS[kind]
    losses, after = runs.restarted(kind, theirs["before"])
    np.testing.assert_allclose(losses, theirs["losses"][: len(losses)], rtol=1e-6)
    np.testing.assert_allclose(after[:-1], theirs["before"][1:], rtol=0, atol=1e-6)
    parted = runs.first_parting(own(kind, np.float32)["losses"], theirs["losses"])
    print("{} in float32, this TensorFlow and {}: {}".format(
        kind, version, "together for 50 steps" if parted is None else "part at step {}".format(parted)
    ))
    # There is no bound for free runs, but if they differed at once, the reason would not be rounding.
    assert parted is None or parted > 0


@pytest.mark.parametrize(
    "ours, theirs, step",
    [([1.0, 2.0], [1.0, 2.0], None), ([1.0, 2.0], [1.0, 2.00001], 1), ([1.0, 2.0], [1.0, 2.000001], None)],
)
def test_first_difference(ours, theirs, step):
    assert runs.first_parting(np.array(ours), np.array(theirs)) == step


def names_in(prefix):
    return tf.train.load_checkpoint(prefix).get_variable_to_shape_map()


def check_next_step(found, expected):
    assert sorted(found) == sorted(expected)
    assert found["loss"] == pytest.approx(expected["loss"], rel=1e-6)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.needs_layers
@each_version
@each_optimizer
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_training_continues_from_a_recorded_checkpoint(version, optimizer, kind):
    prefix = os.path.join(REFERENCE, version, optimizer)
    check_next_step(
        runs.step_from_checkpoint(prefix, optimizer, use_resource=kind == "resource"),
        recorded(version, optimizer + "-next"),
    )


@pytest.mark.needs_layers
@each_version
@each_optimizer
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_checkpoints_have_the_same_names_and_values(tmp_path, version, optimizer, kind):
    own = runs.write_checkpoint(str(tmp_path / "own"), optimizer, use_resource=kind == "resource")
    theirs = os.path.join(REFERENCE, version, optimizer)
    assert names_in(own) == names_in(theirs)
    slots = {
        "adam": ["hidden/kernel/Adam", "hidden/kernel/Adam_1", "beta1_power"],
        "momentum": ["hidden/kernel/Momentum"],
    }
    kept = ["global_step", "norm/moving_variance", "hidden/kernel/ExponentialMovingAverage"] + slots[optimizer]
    assert set(kept) <= set(names_in(own))
    ours, others = tf.train.load_checkpoint(own), tf.train.load_checkpoint(theirs)
    for name in names_in(own):
        np.testing.assert_allclose(ours.get_tensor(name), others.get_tensor(name), rtol=1e-4, atol=2e-6, err_msg=name)


def single_model(arrays):
    """Builds the dense net of nets.py with Momentum and moving averages, without towers and legacy_towers."""
    x, y = tf.constant(arrays["x"]), tf.constant(arrays["y"])
    shapes = [("w1", [12, 16]), ("b1", [16]), ("w2", [16, 5]), ("b2", [5])]
    w1, b1, w2, b2 = [nets.variable(name, shape, np.float32) for name, shape in shapes]
    logits = tf.matmul(tf.tanh(tf.matmul(x, w1) + b1), w2) + b2
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    global_step = tf.train.get_or_create_global_step()
    applied = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step)
    with tf.control_dependencies([applied]):
        train_op = tf.train.ExponentialMovingAverage(0.9, global_step).apply(tf.trainable_variables())
    return loss, train_op


def take_steps(session, run, count):
    losses = [run() for _ in range(count)]
    return losses, session.run({v.op.name: v for v in tf.global_variables()})


def run_single(arrays, restore=None, save=None, steps=3):
    with tf.Graph().as_default(), tf.Session() as session:
        loss, train_op = single_model(arrays)
        saver = tf.train.Saver()
        if restore:
            saver.restore(session, restore)
        else:
            session.run(tf.global_variables_initializer())
        found = take_steps(session, lambda: session.run([loss, train_op])[0], steps)
        return saver.save(session, save) if save else None, found


def run_towers(arrays, restore=None, save=None, steps=3):
    with tf.Graph().as_default():
        step = runs.train_step(
            nets.model("dense", np.float32), arrays, runs.momentum(), len(arrays["y"]), moving_average_decay=0.9
        )
        saver = tf.train.Saver()
        with tf.Session(config=nets.config(4)) as session:
            if restore:
                saver.restore(session, restore)
            with step.running(session) as run:
                found = take_steps(session, lambda: run(step.loss), steps)
            return saver.save(session, save) if save else None, found


@pytest.mark.parametrize("first, second", [(run_towers, run_single), (run_single, run_towers)])
def test_checkpoints_between_four_towers_and_a_plain_model(tmp_path, first, second):
    arrays = nets.examples("dense", 32, np.float32)
    straight, (losses, variables) = first(arrays, save=str(tmp_path / "straight"), steps=6)
    half, _ = first(arrays, save=str(tmp_path / "half"), steps=3)
    other, (found_losses, found_variables) = second(arrays, restore=half, save=str(tmp_path / "other"), steps=3)
    assert names_in(straight) == names_in(other)
    assert variables["global_step"] == found_variables["global_step"] == 6
    np.testing.assert_allclose(found_losses, losses[3:], rtol=1e-5)
    for name in variables:
        np.testing.assert_allclose(found_variables[name], variables[name], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.needs_layers
def test_a_batch_normed_checkpoint_of_four_towers_restores_without_towers(tmp_path):
    prefix = runs.write_checkpoint(str(tmp_path / "four"), "adam")
    batch = {key: tf.constant(value[:8]) for key, value in runs.normalized_arrays().items()}
    logits = runs.normalized_model(batch, lt.EVAL).predictions
    assert all(name in names_in(prefix) for name in (v.op.name for v in tf.global_variables()))
    with tf.Session() as session:
        tf.train.Saver().restore(session, prefix)
        values = session.run({v.op.name: v for v in tf.global_variables()})
        found = session.run(logits)
    hidden = runs.normalized_arrays()["x"][:8].dot(values["hidden/kernel"])
    scale = values["norm/gamma"] / np.sqrt(values["norm/moving_variance"] + 1e-3)
    hidden = np.maximum((hidden - values["norm/moving_mean"]) * scale + values["norm/beta"], 0)
    expected = hidden.dot(values["logits/kernel"]) + values["logits/bias"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
