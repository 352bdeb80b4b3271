"""tf.image.per_image_standardization, whose result has the floating dtype of the image, as in TensorFlow 1.15.

2.x returns float32. Images from numpy are usually float64, and tf.map_fn, tf.cond and loops need results of one dtype.
For integer images the result is float32, as in 2.x and before 1.14: 1.15 casts it back to integers, which loses it.
"""
import functools
from typing import Any

from legacy_towers.compat.versions import tf


@functools.wraps(tf.image.per_image_standardization)
def per_image_standardization(image: Any) -> Any:
    image = tf.convert_to_tensor(image, name="image")
    result = tf.image.per_image_standardization(image)
    return tf.cast(result, image.dtype) if image.dtype.is_floating else result
