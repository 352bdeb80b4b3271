"""Whole floats as dimensions, which TensorFlow 1.15 accepts, on every TensorFlow."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.patches import dimensions

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
REJECTED = {
    "a fraction": lambda: tf.TensorShape([2.5]),
    "infinity": lambda: tf.TensorShape([float("inf")]),
}


def _with_shape(shape):
    tensor = tf.placeholder(tf.float32, [None, 3])
    tensor.set_shape(shape)
    return tensor.shape


def _parsed(feature):
    return tf.parse_single_example(tf.placeholder(tf.string, []), {"x": feature})["x"]


@pytest.mark.parametrize("case", WHOLE)
def test_a_whole_float_is_a_dimension(case):
    with dimensions.float_dimensions_allowed():
        assert WHOLE[case]().as_list() == [2, 3]


@pytest.mark.parametrize("case", REJECTED)
def test_other_floats_are_rejected(case):
    with dimensions.float_dimensions_allowed(), pytest.raises((TypeError, ValueError, OverflowError)):
        REJECTED[case]()


@pytest.mark.needs_layers
@pytest.mark.parametrize("cell", ["BasicRNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell"])
def test_rnn_cells_accept_a_whole_float_as_num_units(cell):
    with dimensions.float_dimensions_allowed():
        rnn_cell = getattr(tf.nn.rnn_cell, cell)(4.0)
        outputs, _ = tf.nn.dynamic_rnn(rnn_cell, tf.zeros([2, 5, 3]), dtype=tf.float32)
    assert outputs.shape.as_list() == [2, 5, 4]
    assert {int(each.shape[-1]) % 4 for each in rnn_cell.variables} == {0}


@pytest.mark.skipif(tf.__version__.startswith("1.15"), reason="TensorFlow 1.15 accepts them itself")
def test_whole_floats_are_rejected_after_the_context():
    with dimensions.float_dimensions_allowed():
        pass
    with pytest.raises(TypeError):
        tf.TensorShape([2.0])
