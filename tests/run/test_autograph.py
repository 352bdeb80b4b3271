"""AutoGraph converts the rewritten source of a script's functions."""
import traceback

import pytest
from run import here

from legacy_towers.compat.tf1 import tree

# The `if` on a tensor raises an error without AutoGraph.
MAPPED = """
import tensorflow as tf

def keep(x):
    import tensorflow as inner
    import tensorflow.contrib.framework
    from tensorflow.contrib import framework
    assert inner is tf and tensorflow.contrib.framework.nest is framework.nest
    assert __import__("tensorflow") is tf
    if x > 2:
        y = x * 10
    else:
        y = x
    return y

with tf.Graph().as_default(), tf.Session() as session:
    element = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(5).map(MAP)).get_next()
    values = [session.run(element) for _ in range(5)]
"""


@pytest.mark.parametrize("function", ["keep", "lambda x: keep(x)"], ids=["function", "by-a-lambda"])
def test_a_mapped_function_imports_tensorflow_1(tmp_path, function):
    assert here.run(tmp_path, MAPPED.replace("MAP)", function + ")"))["values"] == [0, 1, 2, 30, 40]


def test_lambdas_are_converted_by_their_lines(tmp_path):
    source = """
import tensorflow as tf

both = (lambda x: __import__("tensorflow").negative(x)), (lambda x, y=1: x + y)
cast = (lambda x:
        __import__("tensorflow").cast(x, tf.float32))
with tf.Graph().as_default(), tf.Session() as session:
    values = []
    for function in both + (cast,):
        dataset = tf.data.Dataset.range(3, 4).map(lambda x: function(x))
        values.append(session.run(tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()))
"""
    assert here.run(tmp_path, source)["values"] == [-3, 4, 3.0]


def test_lambdas_on_one_line_are_converted_by_their_parameters(tmp_path):
    source = """
import tensorflow as tf
print "Python 2"

def least(x, by):
    if x > 1:
        x = x / 2 * by
    return x

functions = [lambda x: least(x, 1), lambda x, y=2: least(x, y), lambda *a: least(a[0], 3), lambda **k: 4]
with tf.Graph().as_default(), tf.Session() as session:
    values = []
    for function in functions[:3]:
        dataset = tf.data.Dataset.range(3, 4).map(function)
        values.append(session.run(dataset.make_one_shot_iterator().get_next()))
"""
    assert here.run(tmp_path, source)["values"] == [1, 2, 3]


@pytest.mark.needs_layers
def test_imports_in_the_call_of_a_layer_and_a_cell(tmp_path):
    source = """
import tensorflow as tf

class Cell(tf.nn.rnn_cell.RNNCell):
    state_size = output_size = 2

    def call(self, inputs, state):
        # A comment, and a continued line:
        from tensorflow.contrib.rnn.python.ops.core_rnn_cell import \\
            _Linear
        output = tf.tanh(_Linear([inputs, state], 2, True)([inputs, state]))
        return output, output


class Doubled(tf.layers.Layer):
    def call(self, inputs):
        from tensorflow import contrib
        assert contrib is tf.contrib
        return inputs * 2 if inputs.shape.ndims else inputs

with tf.Graph().as_default(), tf.Session() as session:
    outputs, _ = tf.nn.dynamic_rnn(Cell(), tf.zeros([1, 3, 4]), dtype=tf.float32)
    doubled = Doubled()(tf.constant([4.0]))
    session.run(tf.global_variables_initializer())
    values = session.run([outputs, doubled])
"""
    outputs, doubled = here.run(tmp_path, source)["values"]
    assert outputs.tolist() == [[[0.0, 0.0]] * 3] and doubled.tolist() == [8.0]


def test_autograph_converts_int_of_a_tensor(tmp_path):
    source = """
import tensorflow as tf

def whole(x):
    import tensorflow.contrib
    width = 4 / 2
    assert tf.zeros([width, 3]).shape == (2, 3)
    return int(x) + 1

with tf.Graph().as_default(), tf.Session() as session:
    values = session.run(tf.autograph.to_graph(whole)(tf.constant(2.75)))
"""
    assert here.run(tmp_path, source)["values"] == 3


def test_functions_of_legacy_towers_are_not_converted(tmp_path):
    # AutoGraph does not convert TensorFlow's own functions either. A converted function has a generated file name.
    source = """
import tensorflow as tf
from legacy_towers.compat.tf1 import missing

def ask():
    import tensorflow.contrib
    return missing.short_name(None)

try:
    tf.autograph.to_graph(ask)()
except AttributeError as caught:
    error = caught
"""
    error = here.run(tmp_path, source)["error"]
    files = {frame.name: frame.filename for frame in traceback.extract_tb(error.__traceback__)}
    assert files["short_name"].endswith("missing.py")


def test_autograph_is_restored_at_the_end(tmp_path):
    from tensorflow.python.autograph.core import config
    from tensorflow.python.autograph.pyct import parser

    tree.module("tensorflow")
    before = parser.parse_entity, config.CONVERSION_RULES
    with here.begun(tmp_path):
        assert parser.parse_entity is not before[0]
    assert (parser.parse_entity, config.CONVERSION_RULES) == before
