"""tf.contrib.image: projective transforms, warps and color changes of images."""
from legacy_towers.compat.tf1.contrib.image.colors import adjust_hsv_in_yiq, random_hsv_in_yiq
from legacy_towers.compat.tf1.contrib.image.matching import bipartite_match, connected_components
from legacy_towers.compat.tf1.contrib.image.splines import interpolate_spline, sparse_image_warp
from legacy_towers.compat.tf1.contrib.image.transforms import (
    angles_to_projective_transforms,
    compose_transforms,
    flat_transforms_to_matrices,
    matrices_to_flat_transforms,
    rotate,
    transform,
    translate,
    translations_to_projective_transforms,
)
from legacy_towers.compat.tf1.contrib.image.warp import dense_image_warp

__all__ = [
    "adjust_hsv_in_yiq",
    "angles_to_projective_transforms",
    "bipartite_match",
    "compose_transforms",
    "connected_components",
    "dense_image_warp",
    "flat_transforms_to_matrices",
    "interpolate_spline",
    "matrices_to_flat_transforms",
    "random_hsv_in_yiq",
    "rotate",
    "sparse_image_warp",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]
