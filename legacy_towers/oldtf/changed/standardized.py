"""tf.image.per_image_standardization, whose result has the image's own floating type, as in TensorFlow 1.15.

2.x makes it a float32. Images of numpy are float64 as a rule, and tf.map_fn, tf.cond and loops want one type all along.
Integers stay float32, as in 2.x and before 1.14: 1.15 made integers of the result, and lost what it had computed.
"""
import functools
from typing import Any

from legacy_towers.compat import tf


@functools.wraps(tf.image.per_image_standardization)
def per_image_standardization(image: Any) -> Any:
    image = tf.convert_to_tensor(image, name="image")
    result = tf.image.per_image_standardization(image)
    return tf.cast(result, image.dtype) if image.dtype.is_floating else result
