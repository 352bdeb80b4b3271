"""Static shapes of transposed convolutions, checked on TensorFlow 1.15's own functions too."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

tf = tree.module("tensorflow")


def batch_of_any_size():
    return tf.placeholder(tf.float32, [None, 4, 4, 3])


FILTERS = np.ones([3, 3, 5, 3], np.float32)
CASES = {
    "conv2d_transpose": lambda x: tf.nn.conv2d_transpose(x, FILTERS, [8, 8, 8, 5], [1, 2, 2, 1]),
    "by name": lambda x: tf.nn.conv2d_transpose(
        value=x, filter=FILTERS, output_shape=tf.constant([8, 8, 8, 5]), strides=[1, 2, 2, 1]
    ),
    "known in part": lambda x: tf.nn.conv2d_transpose(x, FILTERS, tf.stack([tf.shape(x)[0], 8, 8, 5]), [1, 2, 2, 1]),
    "conv2d_backprop_input": lambda x: tf.nn.conv2d_backprop_input([8, 8, 8, 5], FILTERS, x, [1, 2, 2, 1], "SAME"),
    "atrous_conv2d_transpose": lambda x: tf.nn.atrous_conv2d_transpose(x, FILTERS, [8, 4, 4, 5], 2, "SAME"),
}
SHAPES = {"known in part": [None, 8, 8, 5], "atrous_conv2d_transpose": [8, 4, 4, 5]}


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_static_shape_is_output_shape(case):
    x = batch_of_any_size()
    result = CASES[case](x)
    assert result.shape.as_list() == SHAPES.get(case, [8, 8, 8, 5])
    with tf.Session() as session:
        value = session.run(result, {x: np.ones([8, 4, 4, 3])})
    assert value.shape == tuple(size or 8 for size in result.shape.as_list())


def test_no_operation_is_added_to_the_graph():
    names = set()
    for function in (tf.nn.conv2d_transpose, getattr(tf.nn.conv2d_transpose, "__wrapped__", tf.nn.conv2d_transpose)):
        with tf.Graph().as_default() as graph:
            function(batch_of_any_size(), FILTERS, [8, 8, 8, 5], [1, 2, 2, 1])
            names.add(tuple(operation.name for operation in graph.get_operations()))
    assert len(names) == 1
