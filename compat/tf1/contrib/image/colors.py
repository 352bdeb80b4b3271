"""Changes of hue, saturation and value, which are a matrix in the YIQ color space."""
from typing import Any, Optional

import numpy as np

from legacy_towers.compat.versions import tf

# From RGB to YIQ, rounded as in the operation of TensorFlow 1.15; tf.image.rgb_to_yiq rounds differently.
_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_TO_RGB = np.linalg.inv(_TO_YIQ)


def adjust_hsv_in_yiq(
    image: Any, delta_hue: Any = 0, scale_saturation: Any = 1, scale_value: Any = 1, name: Optional[str] = None
) -> Any:
    """Changes the hue, saturation and value of RGB images.

    Args:
      image: [..., 3].
      delta_hue: the rotation of the hue, in radians.
      scale_saturation: the factor of the saturation.
      scale_value: the factor of the value.
      name: the name of the operations.

    Returns:
      A tensor with the shape and dtype of `image`.
    """
    with tf.name_scope(name, "adjust_hsv_in_yiq", [image]):
        image = tf.convert_to_tensor(image, name="image")
        hue = tf.cast(delta_hue, tf.float32)
        value = tf.cast(scale_value, tf.float32)
        chroma = value * tf.cast(scale_saturation, tf.float32)
        yiq = tf.tensordot(tf.image.convert_image_dtype(image, tf.float32), _TO_YIQ.T.astype(np.float32), 1)
        cosine, sine = chroma * tf.cos(hue), chroma * tf.sin(hue)
        y, i, q = yiq[..., 0] * value, yiq[..., 1], yiq[..., 2]
        rotated = tf.stack([y, cosine * i - sine * q, sine * i + cosine * q], axis=-1)
        changed = tf.tensordot(rotated, _TO_RGB.T.astype(np.float32), 1)
        changed.set_shape(image.shape)
        return tf.image.convert_image_dtype(changed, image.dtype)


def random_hsv_in_yiq(
    image: Any,
    max_delta_hue: float = 0,
    lower_saturation: float = 1,
    upper_saturation: float = 1,
    lower_value: float = 1,
    upper_value: float = 1,
    seed: Optional[int] = None,
) -> Any:
    """Changes the hue, saturation and value of RGB images randomly.

    Args:
      image: [..., 3].
      max_delta_hue: the hue is rotated by an angle in [-max_delta_hue, max_delta_hue) radians.
      lower_saturation, upper_saturation: the range of the factor of the saturation.
      lower_value, upper_value: the range of the factor of the value.
      seed: the seed of the random numbers.

    Raises:
      ValueError: a bound is negative, or a lower bound is above its upper bound.
    """
    for name, bound in (
        ("max_delta", max_delta_hue),
        ("lower_saturation", lower_saturation),
        ("lower_value", lower_value),
    ):
        if bound < 0:
            raise ValueError("{} must be non-negative.".format(name))
    if lower_saturation > upper_saturation:
        raise ValueError("lower_saturation must be < upper_saturation.")
    if lower_value > upper_value:
        raise ValueError("lower_value must be < upper_value.")

    def uniform(lower: float, upper: float) -> Any:
        return lower if lower == upper else tf.random_uniform([], lower, upper, seed=seed)

    hue = uniform(-max_delta_hue, max_delta_hue) if max_delta_hue else 0
    return adjust_hsv_in_yiq(image, hue, uniform(lower_saturation, upper_saturation), uniform(lower_value, upper_value))
