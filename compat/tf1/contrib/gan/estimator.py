"""tf.contrib.gan.estimator: Estimators of GANs."""
from legacy_towers.compat.tf1.contrib.gan import gan_estimator, head
from legacy_towers.compat.tf1.contrib.gan.gan_estimator import GANEstimator, SummaryType
from legacy_towers.compat.tf1.contrib.gan.head import GANHead, gan_head
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.estimator import (
    latent_gan_estimator,
    stargan_estimator,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.estimator.latent_gan_estimator import (
    INPUT_NAME,
    OPTIMIZER_NAME,
    get_latent_gan_estimator,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.estimator.stargan_estimator import (
    StarGANEstimator,
    stargan_prediction_input_fn_wrapper,
)

__all__ = [
    "GANEstimator",
    "GANHead",
    "INPUT_NAME",
    "OPTIMIZER_NAME",
    "StarGANEstimator",
    "SummaryType",
    "gan_estimator",
    "gan_head",
    "get_latent_gan_estimator",
    "head",
    "latent_gan_estimator",
    "stargan_estimator",
    "stargan_prediction_input_fn_wrapper",
]
