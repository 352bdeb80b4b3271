"""Floats without a fraction as dimensions: as TensorFlow 1.15 took them, on every TensorFlow."""
import numpy as np
import pytest

from legacy_towers.compat import tf, whole_dimensions

WHOLE = {
    "TensorShape": lambda: tf.TensorShape([2.0, 3]),
    "numpy's floats": lambda: tf.TensorShape([np.float32(2.0), np.ceil(2.5)]),
    "set_shape": lambda: _with_shape([2.0, 3]),
    "placeholder": lambda: tf.placeholder(tf.float32, [2.0, 3]).shape,
    "merge_with": lambda: tf.TensorShape([None, 3]).merge_with([2.0, None]),
    "FixedLenFeature": lambda: _parsed(tf.FixedLenFeature([2.0, 3], tf.float32)).shape,
    "queue": lambda: tf.FIFOQueue(3, [tf.float32], [[2.0, 3]]).dequeue().shape,
    "from_generator": lambda: tf.data.Dataset.from_generator(lambda: iter([]), tf.float32, [2.0, 3]).output_shapes,
}
REFUSED = {
    "a fraction": lambda: tf.TensorShape([2.5]),
    "infinity": lambda: tf.TensorShape([float("inf")]),
}


def _with_shape(shape):
    tensor = tf.placeholder(tf.float32, [None, 3])
    tensor.set_shape(shape)
    return tensor.shape


def _parsed(feature):
    return tf.parse_single_example(tf.placeholder(tf.string, []), {"x": feature})["x"]


@pytest.mark.parametrize("way", WHOLE)
def test_a_whole_float_is_a_dimension(way):
    with whole_dimensions.floats_are_taken():
        assert WHOLE[way]().as_list() == [2, 3]


@pytest.mark.parametrize("way", REFUSED)
def test_others_are_not(way):
    with whole_dimensions.floats_are_taken(), pytest.raises((TypeError, ValueError, OverflowError)):
        REFUSED[way]()


@pytest.mark.needs_layers
@pytest.mark.parametrize("cell", ["BasicRNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell"])
def test_cells_have_a_whole_float_of_units(cell):
    with whole_dimensions.floats_are_taken():
        made = getattr(tf.nn.rnn_cell, cell)(4.0)
        outputs, _ = tf.nn.dynamic_rnn(made, tf.zeros([2, 5, 3]), dtype=tf.float32)
    assert outputs.shape.as_list() == [2, 5, 4]
    assert {int(each.shape[-1]) % 4 for each in made.variables} == {0}


@pytest.mark.skipif(tf.__version__.startswith("1.15"), reason="TensorFlow 1.15 takes them itself")
def test_it_ends():
    with whole_dimensions.floats_are_taken():
        pass
    with pytest.raises(TypeError):
        tf.TensorShape([2.0])
