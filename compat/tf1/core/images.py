"""Functions of tf.image that accept fewer inputs in TensorFlow 2 than in 1.15, or give other results for them.

    unknown rank     1.15 takes the image as [height, width, channels]; 2.x fails, or its result has an unknown rank
    float16          2.x has no kernel for the colors of float16 images; here they are computed in float32
    numpy's float64  1.15 makes it float32 where an operation has float32 as its default
"""
import functools
from typing import Any, Callable

from legacy_towers.compat.tf1.core import orders
from legacy_towers.compat.tf1.core.dtypes import as_default_float, in_float32, numpy_in_float32
from legacy_towers.compat.versions import tf


def _of_rank_3(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function` of an image that has three dimensions if its rank is unknown, as in 1.15."""

    @functools.wraps(function)
    def called(image: Any, *arguments: Any, **options: Any) -> Any:
        image = tf.convert_to_tensor(image)
        if image.shape.ndims is None:
            image = tf.identity(image)  # the script's tensor keeps its shape
            image.set_shape([None, None, None])
        return function(image, *arguments, **options)

    return called


flip_left_right = _of_rank_3(tf.image.flip_left_right)
flip_up_down = _of_rank_3(tf.image.flip_up_down)
random_flip_left_right = _of_rank_3(tf.image.random_flip_left_right)
random_flip_up_down = _of_rank_3(tf.image.random_flip_up_down)
rot90 = _of_rank_3(tf.image.rot90)
transpose = _of_rank_3(tf.image.transpose_image)
adjust_jpeg_quality = _of_rank_3(orders.ordered("image.adjust_jpeg_quality"))
random_jpeg_quality = _of_rank_3(tf.image.random_jpeg_quality)
adjust_contrast = in_float32(tf.image.adjust_contrast)
adjust_hue = in_float32(tf.image.adjust_hue)
adjust_saturation = in_float32(tf.image.adjust_saturation)
random_contrast = in_float32(tf.image.random_contrast)
random_hue = in_float32(tf.image.random_hue)
random_saturation = in_float32(tf.image.random_saturation)
hsv_to_rgb = numpy_in_float32(tf.image.hsv_to_rgb, "images")
rgb_to_hsv = numpy_in_float32(tf.image.rgb_to_hsv, "images")


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: Any = None,
) -> Any:
    """Returns the indices of the boxes that are kept, padded with zeros if asked for, and their number.

    By the operation of 1.15, which accepts numpy arrays and no boxes at all.
    """
    boxes, scores = tf.convert_to_tensor(as_default_float(boxes)), tf.convert_to_tensor(as_default_float(scores))
    with tf.name_scope(name, "non_max_suppression_padded"):
        return tf.raw_ops.NonMaxSuppressionV4(
            boxes=boxes,
            scores=scores,
            max_output_size=max_output_size,
            iou_threshold=tf.convert_to_tensor(iou_threshold, boxes.dtype),
            score_threshold=tf.convert_to_tensor(score_threshold, boxes.dtype),
            pad_to_max_output_size=pad_to_max_output_size,
        )


@functools.wraps(tf.image.encode_png)
def encode_png(image: Any, *arguments: Any, **options: Any) -> Any:
    """Returns tf.image.encode_png; the result for an image of unknown rank is a scalar, as in 1.15."""
    image = tf.convert_to_tensor(image)
    result = tf.image.encode_png(image, *arguments, **options)
    if image.shape.ndims is None:
        result.set_shape([])
    return result
