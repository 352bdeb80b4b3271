"""The dtype of tf.image.per_image_standardization, checked on TensorFlow 1.15's own function too."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

tf = tree.module("tensorflow")
IMAGES = np.random.RandomState(1).uniform(0.0, 1.0, [2, 3, 4, 3])


def standardized(images):
    flat = images.reshape([len(images), -1]).astype(np.float64)
    return ((flat - flat.mean(1, keepdims=True)) / flat.std(1, keepdims=True)).reshape(images.shape)


@pytest.mark.parametrize("dtype, tolerance", [(np.float16, 2e-2), (np.float32, 1e-5), (np.float64, 1e-5)])
def test_per_image_standardization_keeps_floating_dtypes(dtype, tolerance):
    images = IMAGES.astype(dtype)
    one = tf.image.per_image_standardization(images[0])
    # Without a dtype, tf.map_fn needs results of the dtype of the elements.
    each = tf.map_fn(tf.image.per_image_standardization, images)
    assert (one.dtype, each.dtype) == (tf.as_dtype(dtype),) * 2
    with tf.Session() as session:
        first, all_of_them = session.run([one, each])
    np.testing.assert_allclose(first, standardized(images)[0], atol=tolerance)
    np.testing.assert_allclose(all_of_them, standardized(images), atol=tolerance)


def test_per_image_standardization_of_integers_is_float32():
    images = (IMAGES * 200).astype(np.uint8)
    result = tf.cast(tf.image.per_image_standardization(images[0]), tf.float32)
    assert result.shape.as_list() == [3, 4, 3]
    if not tree.is_1_15():  # 1.15 casts the result back to integers
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(result), standardized(images)[0], atol=1e-5)
