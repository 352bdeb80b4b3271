"""tf.contrib.gan.eval: image grids, summaries, and distances of images by a classifier."""
from legacy_towers.compat.tf1.contrib.gan import classifier_metrics
from legacy_towers.compat.tf1.contrib.gan.classifier_metrics import *  # noqa: F403  # tf.contrib.gan.eval has its names
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.eval import eval_utils, summaries
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.eval.eval_utils import (
    image_grid,
    image_reshaper,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.eval.sliced_wasserstein import (
    sliced_wasserstein_distance,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.eval.summaries import (
    add_cyclegan_image_summaries,
    add_gan_model_image_summaries,
    add_gan_model_summaries,
    add_image_comparison_summaries,
    add_regularization_loss_summaries,
    add_stargan_image_summaries,
)

__all__ = classifier_metrics.__all__ + [
    "add_cyclegan_image_summaries",
    "add_gan_model_image_summaries",
    "add_gan_model_summaries",
    "add_image_comparison_summaries",
    "add_regularization_loss_summaries",
    "add_stargan_image_summaries",
    "classifier_metrics",
    "eval_utils",
    "image_grid",
    "image_reshaper",
    "sliced_wasserstein_distance",
    "summaries",
]
