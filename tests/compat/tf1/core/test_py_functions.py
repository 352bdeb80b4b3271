"""tf.py_func with functions whose results are wider in numpy 2 than in numpy 1."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.core import py_functions


def doubled(values):
    return values * np.float64(2)  # float32 with numpy 1, float64 with numpy 2


class Doubled:
    def __call__(self, values):
        return doubled(values)


@pytest.mark.parametrize("make", [py_functions.py_func, py_functions.numpy_function], ids=["py_func", "numpy_function"])
@pytest.mark.parametrize("function", [doubled, Doubled(), lambda values: [doubled(values)]], ids=["one", "own", "[]"])
def test_results_have_the_dtype_tout(make, function):
    tensor = make(function, [tf.constant([1.0, 2.0])], tf.float32)
    with tf.Session() as session:
        result = session.run(tensor)
    assert result.dtype == np.float32 and result.tolist() == [2.0, 4.0]


def test_several_results_have_their_dtypes():
    numbers, words, whole = py_functions.py_func(
        lambda values: (doubled(values), b"a", np.int32(3)), [tf.constant(1.5)], [tf.float32, tf.string, tf.int32]
    )
    with tf.Session() as session:
        assert session.run([numbers, words, whole]) == [3.0, b"a", 3]


def test_results_of_another_kind_of_dtype_are_rejected():
    tensor = py_functions.py_func(lambda: np.int64(3), [], tf.float32)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(tensor)


def test_the_operation_keeps_its_name_and_its_gradient():
    @tf.RegisterGradient("TenTimesInThisTest")
    def gradient(op, grad):
        return grad * 10

    value = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"PyFunc": "TenTimesInThisTest"}):
        tensor = py_functions.py_func(doubled, [value], tf.float32, name="mine")
    assert tensor.op.name == "mine"
    with tf.Session() as session:
        assert session.run(tf.gradients(tensor, value)) == [10.0]
