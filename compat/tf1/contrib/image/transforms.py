"""Projective transforms of images, as vectors [a0, a1, a2, b0, b1, b2, c0, c1].

The pixel (x, y) of the output is the pixel ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the input, where
k = c0 x + c1 y + 1.
"""
from typing import Any, Callable, Optional

from legacy_towers.compat.versions import tf

_DTYPES = ("uint8", "int32", "int64", "float16", "float32", "float64")


def transform(
    images: Any, transforms: Any, interpolation: str = "NEAREST", output_shape: Any = None, name: Optional[str] = None
) -> Any:
    """Applies projective transforms to images; pixels from outside of the input are 0.

    Args:
      images: [height, width], [height, width, channels] or [batch, height, width, channels].
      transforms: float32 [8] or [batch, 8].
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: int32 [2], the new height and width, by default those of `images`.
      name: the name of the operations.

    Raises:
      TypeError: `images` or `transforms` have another dtype or rank.
      ValueError: `output_shape` is not [2].
    """
    with tf.name_scope(name, "transform"):
        images = tf.convert_to_tensor(images, name="images")
        transforms = tf.convert_to_tensor(transforms, name="transforms", dtype=tf.float32)
        if transforms.shape.rank not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        transforms = transforms[tf.newaxis] if transforms.shape.rank == 1 else transforms

        def transformed(batch: Any) -> Any:
            shape = tf.shape(batch)[1:3] if output_shape is None else tf.convert_to_tensor(output_shape, tf.int32)
            if not shape.shape.is_compatible_with([2]):
                raise ValueError("output_shape must be a 1-D Tensor of 2 elements: new_height, new_width")
            result = tf.raw_ops.ImageProjectiveTransformV2(
                images=batch, transforms=transforms, output_shape=shape, interpolation=interpolation.upper()
            )
            if output_shape is None:
                result.set_shape(batch.shape)
            return result

        return _as_batch(images, transformed)


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: Optional[str] = None) -> Any:
    """Rotates images counterclockwise about their centers by `angles` in radians, a scalar or [batch]."""
    with tf.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images)

        def rotated(batch: Any) -> Any:
            height = tf.cast(tf.shape(batch)[1], tf.float32)[tf.newaxis]
            width = tf.cast(tf.shape(batch)[2], tf.float32)[tf.newaxis]
            return transform(batch, angles_to_projective_transforms(angles, height, width), interpolation)

        return _as_batch(images, rotated)


def translate(images: Any, translations: Any, interpolation: str = "NEAREST", name: Optional[str] = None) -> Any:
    """Translates images by `translations` (dx, dy) in pixels, [2] or [batch, 2]."""
    with tf.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: Optional[str] = None
) -> Any:
    """Returns the transforms [n, 8] of rotations about the image centers by `angles` in radians, a scalar or [n]."""
    with tf.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, name="angles", dtype=tf.float32)
        if angles.shape.rank not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        angles = tf.reshape(angles, [-1])
        cosine, sine = tf.cos(angles), tf.sin(angles)
        width, height = image_width - 1, image_height - 1
        x = (width - (cosine * width - sine * height)) / 2.0
        y = (height - (sine * width + cosine * height)) / 2.0
        zero = tf.zeros_like(angles)
        x, y = x + zero, y + zero
        return tf.stack([cosine, -sine, x, sine, cosine, y, zero, zero], axis=1)


def translations_to_projective_transforms(translations: Any, name: Optional[str] = None) -> Any:
    """Returns the transforms [n, 8] of translations (dx, dy), [2] or [n, 2]."""
    with tf.name_scope(name, "translations_to_projective_transforms"):
        translations = tf.convert_to_tensor(translations, name="translations", dtype=tf.float32)
        if translations.shape.rank not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        translations = tf.reshape(translations, [-1, 2])
        x, y = -translations[:, 0], -translations[:, 1]
        zero, one = tf.zeros_like(x), tf.ones_like(x)
        return tf.stack([one, zero, x, zero, one, y, zero, zero], axis=1)


def compose_transforms(*transforms: Any) -> Any:
    """Returns the composition [n, 8] of `transforms`; the last one is applied first."""
    if not transforms:
        raise AssertionError("transforms cannot be empty")
    with tf.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for one in transforms[1:]:
            composed = tf.matmul(composed, flat_transforms_to_matrices(one))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Converts transforms [8] or [n, 8] to matrices [n, 3, 3]."""
    with tf.name_scope("flat_transforms_to_matrices"):
        transforms = tf.convert_to_tensor(transforms, name="transforms")
        if transforms.shape.rank not in (1, 2):
            raise ValueError("Transforms should be 1D or 2D, got: {}".format(transforms))
        flat = tf.reshape(transforms, [-1, 8])
        return tf.reshape(tf.concat([flat, tf.ones_like(flat[:, :1])], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Converts matrices [3, 3] or [n, 3, 3] to transforms [n, 8]."""
    with tf.name_scope("matrices_to_flat_transforms"):
        matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.rank not in (2, 3):
            raise ValueError("Matrices should be 2D or 3D, got: {}".format(matrices))
        flat = tf.reshape(matrices, [-1, 9])
        return (flat / flat[:, 8:9])[:, :8]


def _as_batch(images: Any, function: Callable[[Any], Any]) -> Any:
    """Calls `function` on a batch [batch, height, width, channels] of `images` of rank 2, 3 or 4."""
    if images.dtype.base_dtype.name not in _DTYPES:
        raise TypeError("Invalid dtype {}.".format(images.dtype))
    rank = images.shape.rank
    if rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if rank == 2:
        return function(images[tf.newaxis, :, :, tf.newaxis])[0, :, :, 0]
    if rank == 3:
        return function(images[tf.newaxis])[0]
    if rank == 4:
        return function(images)
    raise TypeError("Images should have rank between 2 and 4.")
