"""numpy's functions of lists of tensors and of shapes give what numpy 1.18 gives with TensorFlow 1.15.

Each case runs on TensorFlow 1.15 with its numpy, and on TensorFlow 2 with the numpy that a script gets.
"""
import contextlib
import operator
import pickle
import sys

import numpy as real
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.patches import dimensions, tensor_operands
from legacy_towers.compat.tf1 import tree
from legacy_towers.run.libraries import numpy as shim
from legacy_towers.run.libraries import registry

np = shim if registry.needed_shims() else real
pytestmark = pytest.mark.filterwarnings("ignore")
# (expression, what it gives); s is a scalar tensor, t has shape [2, 3], v is a variable, p has shape [None, 3], a and i
# are arrays.
CASES = [
    ("np.array([t, t])", "object (2,)"),
    ("np.array([s, 1.0])", "object (2,)"),
    ("np.array([s, None])", "object (2,)"),
    ("np.array([[s, s], [s, 2]])", "object (2, 2)"),
    ("np.array([[s, s], [s]])", "object (2,)"),
    ("np.array([(t, v), (s, v)])", "object (2, 2)"),
    ("np.array([t, np.ones([2, 3])])", "object (2,)"),
    ("np.array([t, t], dtype=object)", "object (2,)"),
    ("np.array((s, s), copy=False)", "object (2,)"),
    ("np.asarray([p, t])", "object (2,)"),
    ("np.asanyarray([t])", "object (1,)"),
    ("np.atleast_2d([s, s])", "object (1, 2)"),
    ("np.reshape([s, s, s, s], [2, 2])", "object (2, 2)"),
    ("np.expand_dims([s, s], 0)", "object (1, 2)"),
    ("np.transpose([[s, t], [s, t]])", "object (2, 2)"),
    ("np.concatenate([[s, s], [t]])", "object (3,)"),
    ("np.stack([[s, s], [t, t]])", "object (2, 2)"),
    ("np.vstack([[s, s], [t, t]])", "object (2, 2)"),
    ("np.hstack([[s, s], [t]])", "object (3,)"),
    ("np.append([s, s], t)", "NotImplementedError"),
    ("np.append([s, s], [t])", "object (3,)"),
    ("np.tile([s, t], 2)", "object (4,)"),
    ("np.repeat([s, t], 2)", "object (4,)"),
    ("np.roll([s, t], 1)", "object (2,)"),
    ("np.array_split([s, s, s], 2)", "list of 2"),
    ("np.random.permutation([s, t])", "object (2,)"),
    ("np.random.choice([s, s])", "tensor []"),
    ("np.shape([t, t])", "(2,)"),
    ("np.shape([[s, s], [s, s]])", "(2, 2)"),
    ("np.size([t, t])", "2"),
    ("np.ndim([t, t])", "1"),
    ("np.sum([s, s])", "tensor []"),
    ("np.sum([t, t], 0)", "tensor [2, 3]"),
    ("np.sum([[s, s], [s, s]], axis=0)", "object (2,)"),
    ("np.prod([s, 2])", "tensor []"),
    ("np.prod((s, s))", "tensor []"),
    ("np.cumsum([s, s])", "object (2,)"),
    ("np.multiply([0.5, 0.5], [t, s])", "object (2,)"),
    ("np.add([s, t], 1.0)", "object (2,)"),
    ("np.subtract([s, s], [s, t])", "object (2,)"),
    ("np.negative([s, t])", "object (2,)"),
    ("np.add.reduce([1, 2])", "3"),
    ("np.sum(np.multiply([0.25, 0.75], [s, s]))", "tensor []"),
    ("np.isreal([t, t]).tolist()", "[True, True]"),
    # of tensors themselves
    ("np.array(t)", "NotImplementedError"),
    ("np.sqrt(s)", "NotImplementedError"),
    ("np.stack([t, t])", "NotImplementedError"),
    ("np.mean(t)", "NotImplementedError"),
    ("np.multiply(t, 2)", "NotImplementedError"),
    ("np.add(2, s)", "NotImplementedError"),
    ("np.shape(t)", "(2, 3)"),
    ("np.array([v, v])", "object (2,)"),
    ("t * np.ones([2, 3], np.float32)", "tensor [2, 3]"),
    ("np.ones([2, 3], np.float32) - t", "tensor [2, 3]"),
    ("np.float32(2) * t", "tensor [2, 3]"),
    ("np.sqrt(2.0) * s", "tensor []"),
    # operators
    ("a[0, :2] * [s, t]", "object (2,)"),
    ("[s, s] - a[0, :2]", "object (2,)"),
    ("a / [[s, s, 2.0], [s, s, s]]", "object (2, 3)"),
    ("a ** [t]", "object (2, 3)"),
    ("a + (s, v, t)", "object (2, 3)"),
    ("np.float32(2) * [s, s]", "TypeError"),
    ("i == [s, s]", "[False False]"),
    ("a * t", "tensor [2, 3]"),
    ("a - s", "tensor [2, 3]"),
    ("a.dot(t)", "NotImplementedError"),
    ("i ** t.shape[0]", "[ 1 16]"),
    ("(a ** t.shape[0]).dtype", "float32"),
    ("(a ** tf.Dimension(0) + a ** tf.Dimension(1))[0].tolist()", "[2.0, 4.0, 2.5]"),
    ("i ** t.shape[1]", "TypeError"),
    ("a ** t.shape[1]", "TypeError"),
    ("2.0 ** t.shape[0]", "TypeError"),
    ("i * t.shape[0]", "object (2,)"),
    ("t.shape[0] + i", "object (2,)"),
    ("np.float32(2) * t.shape[0]", "4"),
    # of shapes
    ("[each.tolist() for each in np.nonzero(p.shape)]", "[[0, 1]]"),
    ("np.where(p.shape)[0].tolist()", "[0, 1]"),
    ("np.argwhere([p.shape[0], 2]).tolist()", "[[0], [1]]"),
    ("np.flatnonzero(p.shape).tolist()", "[0, 1]"),
    ("int(np.count_nonzero(p.shape))", "2"),
    ("np.nonzero(p.shape[0])[0].tolist()", "[0]"),
    ("np.where(3)[0].tolist()", "[0]"),
    ("np.nonzero(0)[0].size", "0"),
    ("np.prod(t.shape)", "6"),
    ("np.prod(t.get_shape().as_list())", "6"),
    ("np.prod(p.shape[1:])", "3"),
    ("np.zeros(t.shape).shape", "(2, 3)"),
    ("np.array(t.shape)", "object (2,)"),
    ("np.ones([2, 3]).reshape(t.shape).shape", "(2, 3)"),
    # results of other types
    ("np.meshgrid([1, 2], [3])", "list of 2"),
    ("np.broadcast_arrays([1, 2], [3])", "list of 2"),
    ("np.ceil([2, 3]).dtype", "float64"),
    ("np.floor(3).dtype", "float64"),
    ("np.trunc(np.uint8([3])).dtype", "float16"),
    ("np.fix(np.int16([3])).dtype", "float32"),
    ("np.floor(2.5)", "2.0"),
]


@pytest.fixture(autouse=True)
def patches_of_run():
    with contextlib.ExitStack() as lasting:
        lasting.enter_context(dimensions.float_dimensions_allowed())
        lasting.enter_context(dimensions.dimensions_are_true(is_expression))
        lasting.enter_context(dimensions.powers_of_dimensions())
        lasting.enter_context(tensor_operands.lists_of_tensors_are_operands(is_expression, ()))
        yield


def is_expression(path):
    return path == "<string>"


def described(value):
    if isinstance(value, tf.Tensor):
        return "tensor {}".format(value.shape.as_list())
    if isinstance(value, np.ndarray) and value.dtype == object:
        return "object {}".format(value.shape)
    if isinstance(value, list) and isinstance(value[0], np.ndarray):
        return "list of {}".format(len(value))
    return str(value)


@pytest.mark.parametrize("expression, expected", CASES, ids=[each[0] for each in CASES])
def test_functions_of_lists_of_tensors(expression, expected):
    names = {"np": np, "s": tf.constant(2.0), "t": tf.ones([2, 3]), "p": tf.placeholder(tf.float32, [None, 3])}
    names.update(v=tf.get_variable("v", [2]), tf=tf, i=real.array([1, 4]))
    names["a"] = real.array([[1.0, 3.0, 1.5]] * 2, real.float32)
    try:
        found = described(eval(expression, names))
    except NotImplementedError as error:
        assert "Cannot convert a symbolic" in str(error)
        found = "NotImplementedError"
    except TypeError:
        found = "TypeError"
    assert found == expected


def test_values_of_sums_and_products_of_tensors():
    with tf.Session() as session:
        two, three = tf.constant(2.0), tf.constant(3.0)
        weighted = np.sum(np.multiply([0.5, 2.0], [two, three]))
        nested = np.array([[two, three], [three, 1.0]])
        found = session.run([weighted, np.prod([two, three, 4]), np.sum(nested, axis=1).tolist(), nested[1, 0]])
    assert found == [7.0, 24.0, [5.0, 4.0], 3.0]


def test_an_array_holds_the_tensors_themselves():
    first, second = tf.constant(1.0), tf.constant([1.0])
    assert np.array([first, second])[1] is second
    assert np.array([[first], [first, second]])[1][1] is second
    assert np.concatenate([[first], [second]])[0] is first


def test_operators_of_arrays_and_lists_of_tensors_in_the_script_only():
    weights, losses = real.array([0.5, 2.0]), [tf.constant(2.0), tf.constant(3.0)]
    with tf.Session() as session:
        assert session.run(eval("(weights * losses).tolist()", {"weights": weights, "losses": losses})) == [1.0, 6.0]
    with pytest.raises(TypeError, match="same_kind"):
        exec("weights += losses", {"weights": weights, "losses": losses})
    if not tree.is_1_15():
        with pytest.raises(NotImplementedError, match="Cannot convert a symbolic"):
            weights * losses
        with tensor_operands.lists_of_tensors_are_operands(is_expression, [__file__]):
            assert operator.mul(weights, losses).shape == (2,)


def test_ufuncs_keep_their_attributes():
    assert np.add.reduce([1, 2]) == 3 and np.multiply.accumulate([2, 3]).tolist() == [2, 6]
    assert np.subtract.nin == 2 and np.multiply.outer([1, 2], [3]).tolist() == [[3], [6]]
    assert pickle.loads(pickle.dumps(np.multiply))(2, 3) == 6
    assert repr(np.add) == "<ufunc 'add'>"


def test_unknown_dimensions_are_true_in_the_script_only():
    unknown, zero = tf.placeholder(tf.float32, [None, 0]).shape
    with dimensions.dimensions_are_true(lambda path: path == __file__):
        assert unknown and zero and (unknown or 32) is unknown
    if not tree.is_1_15():
        assert not unknown and not zero
        with dimensions.dimensions_are_true(lambda path: False):
            assert not unknown


def test_python_without_shims_is_that_of_1_15():
    assert (np is real) == (sys.version_info < (3, 8))
