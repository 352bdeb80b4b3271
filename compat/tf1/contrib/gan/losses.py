"""tf.contrib.gan.losses: losses of a GANModel; those of single tensors are in `wargs`."""
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.losses import losses_impl as wargs
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.losses import tuple_losses
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.losses.tuple_losses import (
    acgan_discriminator_loss,
    acgan_generator_loss,
    combine_adversarial_loss,
    cycle_consistency_loss,
    least_squares_discriminator_loss,
    least_squares_generator_loss,
    minimax_discriminator_loss,
    minimax_generator_loss,
    modified_discriminator_loss,
    modified_generator_loss,
    mutual_information_penalty,
    stargan_discriminator_loss_wrapper,
    stargan_generator_loss_wrapper,
    stargan_gradient_penalty_wrapper,
    wasserstein_discriminator_loss,
    wasserstein_generator_loss,
    wasserstein_gradient_penalty,
)

__all__ = [
    "acgan_discriminator_loss",
    "acgan_generator_loss",
    "combine_adversarial_loss",
    "cycle_consistency_loss",
    "least_squares_discriminator_loss",
    "least_squares_generator_loss",
    "minimax_discriminator_loss",
    "minimax_generator_loss",
    "modified_discriminator_loss",
    "modified_generator_loss",
    "mutual_information_penalty",
    "stargan_discriminator_loss_wrapper",
    "stargan_generator_loss_wrapper",
    "stargan_gradient_penalty_wrapper",
    "tuple_losses",
    "wargs",
    "wasserstein_discriminator_loss",
    "wasserstein_generator_loss",
    "wasserstein_gradient_penalty",
]
