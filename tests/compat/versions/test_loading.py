"""The view of the TF1 API that `legacy_towers.compat.tf` is."""
import pickle
import types

import numpy as np
import pytest

from legacy_towers import compat
from legacy_towers.compat import tf
from legacy_towers.compat.versions import keras, loading, supported
from legacy_towers.compat.versions.module_view import ModuleView
from legacy_towers.errors import EnvironmentProblem

RUNNING = supported.parse(tf.__version__)


def test_tf_is_one_module_with_tf1_behaviour():
    assert isinstance(tf, types.ModuleType)
    assert compat.tf is tf
    assert not tf.executing_eagerly()
    assert isinstance(tf.constant(1).shape, tf.TensorShape)
    assert tf.get_variable("v", shape=[2]).dtype._is_ref_dtype  # TF1's default: not a resource variable


def test_known_names_are_found_and_unknown_ones_are_not():
    import tensorflow

    assert tf.__version__ == tensorflow.__version__
    assert tf.Session is tensorflow.compat.v1.Session
    assert {"Session", "layers", "nn", "train"} <= set(dir(tf))
    assert {"rnn_cell", "relu"} <= set(dir(tf.nn))
    assert not hasattr(tf, "sesion")
    with pytest.raises(AttributeError, match="tf has no attribute 'sesion'"):
        _ = tf.sesion


@pytest.mark.skipif(RUNNING >= (2,), reason="tf.contrib ended with TensorFlow 1.15")
def test_contrib_is_that_of_tensorflow_1_15():
    assert tf.contrib.slim.prefetch_queue.prefetch_queue is not None


@pytest.mark.skipif(RUNNING < (2,), reason="TensorFlow has tf.contrib itself")
def test_contrib_is_supported_where_tensorflow_dropped_it():
    assert tf.contrib.staging.StagingArea is not None
    with pytest.raises(AttributeError, match="tf.contrib.no_such_part is not a name of TensorFlow 1.15"):
        _ = tf.contrib.no_such_part


def test_estimator_exists_on_every_tensorflow():
    assert tf.estimator.RunConfig(save_checkpoints_steps=5).save_checkpoints_secs is None
    assert tf.estimator.inputs.numpy_input_fn is not None


@pytest.mark.skipif(keras.problem(RUNNING) is not None, reason="tf_keras is not installed")
def test_layers_and_cells_have_the_variable_names_of_tf_1_15():
    images = tf.placeholder(tf.float32, [None, 8, 8, 1])
    net = tf.layers.conv2d(images, 4, 3, name="conv")
    net = tf.layers.batch_normalization(net, training=True, name="norm")
    net = tf.layers.dense(tf.layers.flatten(net), 3)
    cell = tf.nn.rnn_cell.LSTMCell(5)
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.reshape(images, [-1, 8, 8]), dtype=tf.float32)

    assert [variable.op.name for variable in tf.global_variables()] == [
        "conv/kernel",
        "conv/bias",
        "norm/gamma",
        "norm/beta",
        "norm/moving_mean",
        "norm/moving_variance",
        "dense/kernel",
        "dense/bias",
        "rnn/lstm_cell/kernel",
        "rnn/lstm_cell/bias",
    ]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert len(updates) == 2
    moving_mean = tf.global_variables()[4]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feed = {images: np.ones([2, 8, 8, 1])}
        shapes = [value.shape for value in session.run([net, outputs], feed)]
        session.run(updates, feed)
        assert np.any(session.run(moving_mean) != 0)
    assert shapes == [(2, 3), (2, 8, 5)]


def test_a_tensorflow_newer_than_tested_is_a_warning(monkeypatch):
    monkeypatch.setattr(supported, "NEWEST", (1, 14))
    with pytest.warns(UserWarning, match=r"is newer than 1\.14, the newest version that legacy_towers is tested with"):
        loading.load_tensorflow()


def test_a_module_view_replaces_attributes_and_keeps_the_module_unchanged():
    calls = []
    module = types.SimpleNamespace(kept=1, replaced=2)
    view = ModuleView("m", module, replaced={"replaced": lambda: calls.append("replaced") or 3})
    assert (view.kept, view.replaced, view.replaced) == (1, 3, 3)
    assert calls == ["replaced"]
    view.kept = 4
    assert module.kept == 1  # assignments to a view don't reach the module
    with pytest.raises(AttributeError, match="^m has no attribute 'old'$"):
        _ = view.old
    assert repr(view) == "<view of m>"
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(view)


def test_a_module_view_with_a_problem_raises_it_for_every_public_name():
    view = ModuleView("m", types.SimpleNamespace(dense=1), problem=lambda: "type this")
    with pytest.raises(EnvironmentProblem, match="^type this$"):
        _ = view.dense
    assert not hasattr(view, "__wrapped__")
    assert dir(view) == []
