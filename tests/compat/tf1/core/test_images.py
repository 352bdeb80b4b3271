"""tf.image and tf.nn with inputs that TensorFlow 2 alone rejects or treats otherwise; on 1.15 they are its own."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

tf = tree.module("tensorflow")
IMAGE = np.random.RandomState(1).uniform(0.0, 1.0, [4, 6, 3]).astype(np.float32)
BATCH = np.stack([IMAGE, IMAGE[::-1]])
BOXES = np.array([[0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.4, 0.5], [0.5, 0.5, 1.0, 1.0]], np.float32)


def run(result, feeds=None):
    with tf.Session() as session:
        return session.run(result, feeds)


def of_unknown_rank(function, value=IMAGE):
    x = tf.placeholder(tf.float32, None)
    result = function(x)
    assert x.shape.ndims is None
    return result.shape.as_list(), run(result, {x: value})


UNKNOWN_RANK = {
    "flip_left_right": (lambda x: tf.image.flip_left_right(x), IMAGE[:, ::-1]),
    "flip_up_down": (lambda x: tf.image.flip_up_down(x), IMAGE[::-1]),
    "rot90": (lambda x: tf.image.rot90(x), np.rot90(IMAGE)),
    "rot90, three times": (lambda x: tf.image.rot90(x, k=3), np.rot90(IMAGE, 3)),
    "transpose_image": (lambda x: tf.image.transpose_image(x), IMAGE.transpose([1, 0, 2])),
    "transpose, by name": (lambda x: tf.image.transpose(image=x), IMAGE.transpose([1, 0, 2])),
}


@pytest.mark.parametrize("function, expected", list(UNKNOWN_RANK.values()), ids=list(UNKNOWN_RANK))
def test_an_image_of_unknown_rank_has_three_dimensions(function, expected):
    shape, value = of_unknown_rank(function)
    assert shape == [None, None, None]
    np.testing.assert_array_equal(value, expected)


def test_a_batch_of_unknown_rank_is_flipped_as_in_1_15():
    # 1.15 takes the second axis of any input of unknown rank.
    np.testing.assert_array_equal(of_unknown_rank(tf.image.flip_left_right, BATCH)[1], BATCH[:, ::-1])


@pytest.mark.parametrize("name, axis", [("random_flip_left_right", 1), ("random_flip_up_down", 0)])
def test_random_flips_of_unknown_rank(name, axis):
    shape, value = of_unknown_rank(lambda x: getattr(tf.image, name)(x, seed=1))
    assert shape == [None, None, None]
    assert np.array_equal(value, IMAGE) or np.array_equal(value, np.flip(IMAGE, axis))


def test_decoded_images_are_turned():
    png = run(tf.image.encode_png((IMAGE * 255).astype(np.uint8)))
    decoded = tf.image.decode_image(png)
    both = run([decoded, tf.image.rot90(decoded), tf.image.transpose_image(decoded)])
    np.testing.assert_array_equal(both[1], np.rot90(both[0]))
    np.testing.assert_array_equal(both[2], both[0].transpose([1, 0, 2]))


def test_jpeg_quality_of_an_image_of_unknown_rank():
    x = tf.placeholder(tf.float32, None)
    results = [tf.image.adjust_jpeg_quality(x, 95), tf.image.random_jpeg_quality(x, 94, 95, seed=1)]
    value = run(results, {x: IMAGE * 0 + 0.5})
    assert value[0].shape == value[1].shape == (4, 6, 3)
    np.testing.assert_allclose(value[0], 0.5, atol=0.02)


KNOWN_RANK = {
    "flip_left_right of a batch": (lambda x: tf.image.flip_left_right(x), BATCH[:, :, ::-1]),
    "rot90 of a batch": (lambda x: tf.image.rot90(x), np.rot90(BATCH, axes=(1, 2))),
    "transpose of a batch": (lambda x: tf.image.transpose_image(x), BATCH.transpose([0, 2, 1, 3])),
}


@pytest.mark.parametrize("function, expected", list(KNOWN_RANK.values()), ids=list(KNOWN_RANK))
def test_batches_of_known_rank(function, expected):
    np.testing.assert_array_equal(run(function(BATCH)), expected)


COLORS = {
    "adjust_contrast": lambda x: tf.image.adjust_contrast(x, 2.0),
    "adjust_contrast by name": lambda x: tf.image.adjust_contrast(images=x, contrast_factor=2.0),
    "adjust_hue": lambda x: tf.image.adjust_hue(x, 0.2),
    "adjust_saturation": lambda x: tf.image.adjust_saturation(x, 0.5),
    "random_hue": lambda x: tf.image.random_hue(x, 0.0001, seed=1),
}


@pytest.mark.parametrize("name", sorted(COLORS))
def test_colors_of_float16_images(name):
    half = COLORS[name](tf.constant(IMAGE.astype(np.float16)))
    assert half.dtype == tf.float16
    np.testing.assert_allclose(run(half), run(COLORS[name](tf.constant(IMAGE))), atol=0.01)


OF_NUMPY = {
    "rgb_to_hsv": lambda x: tf.image.rgb_to_hsv(x),
    "hsv_to_rgb": lambda x: tf.image.hsv_to_rgb(x),
    "max_pool": lambda x: tf.nn.max_pool(x[None], [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    "max_pool by name": lambda x: tf.nn.max_pool(value=x[None], ksize=2, strides=2, padding="SAME"),
    "ctc_greedy_decoder": lambda x: tf.nn.ctc_greedy_decoder(x, [4] * 6)[1],
}


@pytest.mark.parametrize("name", sorted(OF_NUMPY))
def test_of_numpys_float64_the_result_is_float32(name):
    assert OF_NUMPY[name](IMAGE.astype(np.float64)).dtype == tf.float32
    assert OF_NUMPY[name](tf.constant(IMAGE, tf.float64)).dtype == tf.float64


PADDED = {
    "numpy": (BOXES, [0.9, 0.8, 0.7], [0, 2, 0], 2),
    "no boxes": (BOXES[:0], np.zeros([0], np.float32), [0, 0, 0], 0),
}


@pytest.mark.parametrize("boxes, scores, indices, count", list(PADDED.values()), ids=list(PADDED))
def test_non_max_suppression_padded(boxes, scores, indices, count):
    scores = np.asarray(scores, boxes.dtype)
    found = run(tf.image.non_max_suppression_padded(tf.constant(boxes), scores, 3, pad_to_max_output_size=True))
    assert found[0].tolist() == indices and found[1] == count
    of_arrays = run(tf.image.non_max_suppression_padded(BOXES, np.float32([0.9, 0.8, 0.7]), 3))
    assert of_arrays[0].tolist() == [0, 2] and of_arrays[1] == 2
