"""tf.contrib.gan.features: conditioning, normalization, clipping of weights, and the pool of generated images."""
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.features.clip_weights import (
    clip_discriminator_weights,
    clip_variables,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.features.conditioning_utils import (
    condition_tensor,
    condition_tensor_from_onehot,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.features.random_tensor_pool import tensor_pool
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.features.spectral_normalization import (
    compute_spectral_norm,
    spectral_norm_regularizer,
    spectral_normalization_custom_getter,
    spectral_normalize,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.features.virtual_batchnorm import VBN

__all__ = [
    "VBN",
    "clip_discriminator_weights",
    "clip_variables",
    "compute_spectral_norm",
    "condition_tensor",
    "condition_tensor_from_onehot",
    "spectral_norm_regularizer",
    "spectral_normalization_custom_getter",
    "spectral_normalize",
    "tensor_pool",
]
