"""Hue, saturation and value, changed in the YIQ colours in which they are a matrix."""
from typing import Any, Optional

import numpy as np

from legacy_towers.compat import tf

# From RGB to YIQ, as TensorFlow 1.15's operation rounds it; tf.image.rgb_to_yiq rounds otherwise.
_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_TO_RGB = np.linalg.inv(_TO_YIQ)


def adjust_hsv_in_yiq(
    image: Any, delta_hue: Any = 0, scale_saturation: Any = 1, scale_value: Any = 1, name: Optional[str] = None
) -> Any:
    """Returns `image` [..., 3] with its hue turned by `delta_hue` radians, and saturation and value scaled."""
    with tf.name_scope(name, "adjust_hsv_in_yiq", [image]):
        image = tf.convert_to_tensor(image, name="image")
        hue = tf.cast(delta_hue, tf.float32)
        value = tf.cast(scale_value, tf.float32)
        chroma = value * tf.cast(scale_saturation, tf.float32)
        colours = tf.tensordot(tf.image.convert_image_dtype(image, tf.float32), _TO_YIQ.T.astype(np.float32), 1)
        cosine, sine = chroma * tf.cos(hue), chroma * tf.sin(hue)
        y, i, q = colours[..., 0] * value, colours[..., 1], colours[..., 2]
        turned = tf.stack([y, cosine * i - sine * q, sine * i + cosine * q], axis=-1)
        changed = tf.tensordot(turned, _TO_RGB.T.astype(np.float32), 1)
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
    """Returns `image` with hue, saturation and value changed by chance, within bounds.

    Raises:
      ValueError: a bound is negative, or a lower one is not below its upper one.
    """
    for name, least in (
        ("max_delta", max_delta_hue),
        ("lower_saturation", lower_saturation),
        ("lower_value", lower_value),
    ):
        if least < 0:
            raise ValueError("{} must be non-negative.".format(name))
    if lower_saturation > upper_saturation:
        raise ValueError("lower_saturation must be < upper_saturation.")
    if lower_value > upper_value:
        raise ValueError("lower_value must be < upper_value.")

    def drawn(lower: float, upper: float) -> Any:
        return lower if lower == upper else tf.random_uniform([], lower, upper, seed=seed)

    hue = drawn(-max_delta_hue, max_delta_hue) if max_delta_hue else 0
    return adjust_hsv_in_yiq(image, hue, drawn(lower_saturation, upper_saturation), drawn(lower_value, upper_value))
