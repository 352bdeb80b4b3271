"""Operations with dtypes that TensorFlow 2 alone rejects or treats otherwise; on 1.15 they are its own."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

tf = tree.module("tensorflow")
SQUARE = np.array([[4.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 4.0]])
HALF = SQUARE.astype(np.float16)
LOWER = np.linalg.cholesky(SQUARE)
ONES = np.ones([3, 1])
# Operation of float16 -> (call, value).
HALVES = {
    "cholesky": (lambda: tf.cholesky(HALF), LOWER),
    "cholesky_solve": (lambda: tf.cholesky_solve(LOWER.astype(np.float16), tf.constant(ONES, tf.float16)),
                       np.linalg.solve(SQUARE, ONES)),
    "matrix_triangular_solve": (lambda: tf.matrix_triangular_solve(LOWER.astype(np.float16), ONES.astype(np.float16)),
                                np.linalg.solve(LOWER, ONES)),
    "matrix_triangular_solve, by name": (
        lambda: tf.matrix_triangular_solve(matrix=tf.constant(HALF), rhs=tf.constant(ONES, tf.float16), lower=False),
        np.linalg.solve(np.triu(SQUARE), ONES)),
    "rint": (lambda: tf.rint(np.array([0.5, 1.5, -2.7], np.float16)), [0.0, 2.0, -3.0]),
    "math.rint": (lambda: tf.math.rint(tf.constant([0.5, 1.5], tf.float16)), [0.0, 2.0]),
    "truncatemod": (lambda: tf.truncatemod(tf.constant([7.5, -7.5], tf.float16), tf.constant(2.0, tf.float16)),
                    [1.5, -1.5]),
    "self_adjoint_eigvals": (lambda: tf.self_adjoint_eigvals(tf.constant(HALF)), np.linalg.eigvalsh(SQUARE)),
    "linalg.logdet": (lambda: tf.linalg.logdet(HALF), np.log(np.linalg.det(SQUARE))),
}
BYTES = np.array([[250, 7], [3, 9]], np.uint8)
IDS = np.array([0, 2, 2], np.int32)
# Operation -> (call, dtype, value), as recorded on 1.15.
OTHERS = {
    "realdiv of uint8": (lambda: tf.realdiv(BYTES, np.array(4, np.uint8)), "uint8", [[62, 1], [0, 2]]),
    "realdiv of int32": (lambda: tf.realdiv(tf.constant([7, -7]), tf.constant(2)), "int32", [3, -3]),
    "realdiv of floats": (lambda: tf.realdiv([7.0], [2.0]), "float32", [3.5]),
    "truncatediv of floats": (lambda: tf.truncatediv([7.0], [2.0]), "float32", [3.5]),
    "reduce_variance of int32": (
        lambda: tf.math.reduce_variance(tf.constant([[1, 5], [2, 8]]), axis=1), "int32", [4, 9]),
    "reduce_variance, kept dimensions": (
        lambda: tf.math.reduce_variance(tf.constant([[1, 5], [2, 8]], tf.int64), 1, True), "int64", [[4], [9]]),
    "reduce_variance of floats": (lambda: tf.math.reduce_variance([1.0, 3.0]), "float32", 1.0),
    "bincount, weights of float16": (
        lambda: tf.bincount(IDS, tf.constant([0.5, 1.0, 2.0], tf.float16), minlength=4), "float16", [0.5, 0, 3.0, 0]),
    "bincount, weights of uint8": (lambda: tf.bincount(IDS, np.array([1, 2, 3], np.uint8)), "uint8", [1, 0, 5]),
    "bincount": (lambda: tf.bincount(IDS), "int32", [1, 0, 2]),
    "nextafter of numpy": (lambda: tf.math.nextafter(np.array([0.0]), np.array([1.0])), "float32", [1e-45]),
    "einsum of uint8": (lambda: tf.einsum("ij->ji", tf.constant(BYTES)), "uint8", [[250, 3], [7, 9]]),
    "einsum of int16": (lambda: tf.linalg.einsum("ij->i", tf.constant(BYTES, tf.int16)), "int16", [257, 12]),
    "einsum of floats": (lambda: tf.einsum("i,i->", tf.constant([2.0]), tf.constant([3.0])), "float32", 6),
    "linspace of unknown rank": (
        lambda: tf.linspace(tf.placeholder_with_default(1.0, None), 3.0, 3), "float32", [1, 2, 3]),
}


@pytest.mark.parametrize("name", HALVES)
def test_operations_of_float16_have_results_of_float16(name):
    function, expected = HALVES[name]
    result = function()
    assert result.dtype == tf.float16
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(result), expected, rtol=5e-3, atol=5e-3)


@pytest.mark.parametrize("name", OTHERS)
def test_operations_of_other_dtypes(name):
    function, dtype, expected = OTHERS[name]
    result = function()
    assert result.dtype == tf.as_dtype(dtype) and result.shape.ndims == np.ndim(expected)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(result), np.array(expected, dtype))


VOLUME = np.random.RandomState(0).rand(2, 5, 6, 4, 3)


@pytest.mark.parametrize("window, steps", [([1, 3, 2, 3, 1], [1, 2, 1, 2, 1]), ([2, 3, 1], 1)], ids=str)
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("shape", [VOLUME.shape, (None, None, 6, None, 3)], ids=["known", "unknown"])
def test_volumes_of_float64_and_float16_are_pooled(window, steps, padding, shape):
    x = tf.placeholder(tf.float64, shape)
    half = tf.cast(x, tf.float16)
    pools = tf.nn.avg_pool3d(x, window, steps, padding), tf.nn.avg_pool3d(half, window, steps, padding)
    largest = tf.nn.max_pool3d(half, window, steps, padding)
    average, most = (f(tf.cast(x, tf.float32), window, steps, padding) for f in (tf.nn.avg_pool3d, tf.nn.max_pool3d))
    assert [each.dtype for each in pools + (largest,)] == [tf.float64, tf.float16, tf.float16]
    assert [each.shape.as_list() for each in pools] == [average.shape.as_list()] * 2
    with tf.Session() as session:
        found = session.run([pools, largest, average, most], {x: VOLUME})
    np.testing.assert_allclose(found[0][0], found[2], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], found[2], rtol=5e-3)
    np.testing.assert_allclose(found[1], found[3], rtol=1e-3)


def test_the_gradient_of_an_average_of_float64_is_that_of_float32():
    x = tf.constant(VOLUME)
    averages = [tf.nn.avg_pool3d(tf.cast(x, dtype), 3, 2, "SAME") for dtype in (tf.float64, tf.float32)]
    with tf.Session() as session:
        one, other = session.run([tf.gradients(tf.cast(each, tf.float64) ** 2, x)[0] for each in averages])
    np.testing.assert_allclose(one, other, rtol=1e-5)


def test_the_eigenvectors_of_float16_are_a_pair_of_float16():
    values, vectors = tf.self_adjoint_eig(HALF)
    assert (values.dtype, vectors.dtype) == (tf.float16, tf.float16)


def test_a_quotient_of_arrays_is_an_array():
    assert tf.divide(np.array([3.0]), 2).tolist() == [1.5]
    assert tf.divide(np.array([3.0]), tf.constant([2.0], tf.float64)).dtype == tf.float64
    assert tf.divide(3.0, 2.0, name="half").op.name == "half"


def test_a_histogram_of_numpy_is_that_of_float32():
    values = np.array([0.1, 0.9])
    with tf.Session() as session:
        texts = session.run([tf.summary.histogram("h", values), tf.summary.histogram("h", values.astype(np.float32))])
    assert [tf.Summary.FromString(each).value[0].histo.max for each in texts] == [float(np.float32(0.9))] * 2


def test_a_png_of_unknown_rank_is_a_scalar():
    x = tf.placeholder(tf.uint8, None)
    assert tf.image.encode_png(x).shape.as_list() == []


def test_padded_suppression_takes_boxes_of_float64():
    boxes = np.array([[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 1.0, 1.0]])
    kept, count = tf.image.non_max_suppression_padded(boxes, np.array([0.2, 0.9]), 2)
    with tf.Session() as session:
        assert [each.tolist() for each in session.run([kept, count])] == [[1, 0], 2]
