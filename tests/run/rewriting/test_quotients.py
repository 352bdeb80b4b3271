"""Quotients of integers in a script are accepted as dimensions, as TensorFlow 1.x accepts floats."""
import ast
import copy
import json
import pickle
import sys

import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree
from legacy_towers.run.rewriting import methods, quotients, quotients_rewriting, rewriter

tf = tree.module("tensorflow")

SCRIPT = """
def sizes():
    units = 12
    stride = 16
    stride /= 4
    return [
        tf.get_variable("w", [3, units / 2]).shape,
        tf.placeholder(tf.float32, [None, 2 * (units / 3) + 1]).shape,
        tf.layers.conv2d(tf.zeros([2, 8, 8, 4]), stride, [units / 4, units / 4]).shape,
        tf.nn.rnn_cell.LSTMCell(units / 2).zero_state(2, tf.float32)[0].shape,
        tf.FIFOQueue(10, tf.float32, shapes=[[units / 4 - 1]]).dequeue().shape,
        tf.zeros([2, 6]).shape.merge_with([2, units / 2]),
    ]
"""
EXPECTED = [[3, 6], [None, 9], [2, 6, 6, 4], [2, 6], [2], [2, 6]]


@pytest.mark.filterwarnings("ignore")
def test_quotients_are_dimensions():
    if not tree.is_1_15():
        pytest.importorskip("tf_keras")
    names = {"tf": tf}
    exec(compile(rewriter.rewrite(ast.parse(SCRIPT)), "script.py", "exec"), names)
    assert [shape.as_list() for shape in names["sizes"]()] == EXPECTED


def test_a_quotient_behaves_as_a_float():
    half = quotients.divided(12, 2)
    assert half == 6.0 and isinstance(half, float) and repr(half) == "6.0" and list(range(8))[half] == 6
    assert json.dumps([half]) == "[6.0]" and "%d %s" % (half, half) == "6 6.0"
    assert type(pickle.loads(pickle.dumps(half))) is float and copy.deepcopy([half]) == [6.0]
    assert np.array([half]).dtype == np.float64 and np.float32(half) == 6
    assert hash(half) == hash(6.0) and {6: 1}[half] == 1
    assert methods.type_of(half) is float
    # HParams parses values by the type of the default value.
    assert type(type(half)(0.5)) is float and type(half)("0.5") == 0.5


@pytest.mark.parametrize(
    "value",
    [
        quotients.divided(12, 2) * 2,
        24 - quotients.divided(24, 2),
        1 + quotients.divided(22, 2),
        quotients.divided(quotients.divided(48, 2), 2),
        quotients.divided(50, 2) // 2,
        -quotients.divided(-36, 3),
        quotients.divided_in_place(24, 2),
    ],
)
def test_results_of_integral_quotients_are_integral(value):
    assert value == 12 and value.__index__() == 12


@pytest.mark.parametrize("a, b", [(7, 2), (6.0, 2), (np.int64(6), 2), (np.arange(4), 2), (True, 1)], ids=str)
def test_other_quotients_are_unchanged(a, b):
    found = quotients.divided(a, b)
    assert type(found) is type(a / b) and np.array_equal(found, a / b)


def test_arrays_are_divided_in_place():
    values = alias = np.array([2.0, 4.0])
    values = quotients.divided_in_place(values, 2)
    assert values is alias and alias.tolist() == [1.0, 2.0]


@pytest.mark.skipif(sys.version_info < (3, 8), reason="scripts are rewritten from Python 3.8 on")
@pytest.mark.parametrize("source", ["x / 255.0", "1.0 / n", "x / -2.0", "x // 2", "x.n /= 2", "x /= 2.0"])
def test_other_divisions_are_not_rewritten(source):
    module = ast.parse(source)
    assert not quotients_rewriting.rewrite(module) and ast.dump(module) == ast.dump(ast.parse(source))


def test_an_error_has_its_line_number():
    module = ast.parse("n = 0\n\nvalue = 3 / n")
    quotients_rewriting.rewrite(module)
    with pytest.raises(ZeroDivisionError) as raised:
        exec(compile(module, "script.py", "exec"), {quotients_rewriting.QUOTIENTS_NAME: quotients})
    assert raised.traceback[1].lineno + 1 == 3


@pytest.mark.parametrize("six", [6.0, np.ceil(5.5), np.float32(6)], ids=["float", "float64", "float32"])
def test_variables_and_placeholders_accept_integral_floats(six):
    assert tf.get_variable("w", [3, six], initializer=tf.zeros_initializer()).shape.as_list() == [3, 6]
    assert tf.get_variable("b", six).shape.as_list() == [6]
    assert tf.get_variable(name="c", shape=(six, 1)).shape.as_list() == [6, 1]
    assert tf.placeholder(tf.float32, [None, six]).shape.as_list() == [None, 6]
    assert tf.placeholder(tf.float32).shape.dims is None
    assert tf.placeholder_with_default(tf.zeros([2, 6]), [None, six]).shape.as_list() == [None, 6]


def test_a_fractional_dimension_is_rejected():
    with pytest.raises((TypeError, ValueError)):
        tf.get_variable("w", [3, 1.5])
