"""What tensorflow_gan 2.1.0 does differently than tf.contrib.gan of TensorFlow 1.14, and its imports."""
import functools
import types
from typing import Any, Callable, Dict, Sequence

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.contrib.private import inspection
from legacy_towers.compat.versions import tf


def import_other(name: str, names: Sequence[str]) -> Any:
    """Returns the module that an import statement of tensorflow_gan gets; None for the installed one."""
    if name.split(".")[0] == "tensorflow":
        return script_api.module(name) if names else script_api.tensorflow()
    if name == "inspect":
        return inspection.module()
    if name == "tensorflow_probability":  # one function of it is used
        return types.SimpleNamespace(stats=types.SimpleNamespace(covariance=_covariance))
    return None


def _covariance(samples: Any) -> Any:
    """Returns the covariance, [dims, dims], of `samples`, [count, dims], divided by the count."""
    centered = samples - tf.reduce_mean(samples, axis=0)
    return tf.matmul(centered, centered, transpose_a=True) / tf.cast(tf.shape(samples)[0], samples.dtype)


def _train(module: Any) -> None:
    """gan_loss: losses get `add_summaries` alone, and keep their own reduction."""
    theirs = module.gan_loss
    wasserstein = module.tuple_losses

    def gan_loss(  # type: ignore
        model,
        generator_loss_fn=wasserstein.wasserstein_generator_loss,
        discriminator_loss_fn=wasserstein.wasserstein_discriminator_loss,
        gradient_penalty_weight=None,
        gradient_penalty_epsilon=1e-10,
        gradient_penalty_target=1.0,
        gradient_penalty_one_sided=False,
        mutual_information_penalty_weight=None,
        aux_cond_generator_weight=None,
        aux_cond_discriminator_weight=None,
        tensor_pool_fn=None,
        add_summaries=True,
    ):
        """Returns the GANLoss of a GANModel: both losses with their penalties and regularization."""
        return theirs(
            model,
            _with_summaries_alone(generator_loss_fn),
            _with_summaries_alone(discriminator_loss_fn),
            gradient_penalty_weight=gradient_penalty_weight,
            gradient_penalty_epsilon=gradient_penalty_epsilon,
            gradient_penalty_target=gradient_penalty_target,
            gradient_penalty_one_sided=gradient_penalty_one_sided,
            mutual_information_penalty_weight=mutual_information_penalty_weight,
            aux_cond_generator_weight=aux_cond_generator_weight,
            aux_cond_discriminator_weight=aux_cond_discriminator_weight,
            tensor_pool_fn=tensor_pool_fn,
            add_summaries=add_summaries,
        )

    module.gan_loss = gan_loss
    module._get_update_ops = _explained(module._get_update_ops)
    module._tensor_pool_adjusted_model = module.tensor_pool_adjusted_model


def _explained(get_update_ops: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the error for update operations say what to do under several replicas, which are outside of the scopes."""

    @functools.wraps(get_update_ops)
    def explained(*args: Any, **options: Any) -> Any:
        try:
            return get_update_ops(*args, **options)
        except ValueError as error:
            if tf.distribute.get_strategy().num_replicas_in_sync == 1:
                raise
            raise ValueError(
                "{}. The hooks of tf.contrib.gan run the operations of the first replica, so that the update "
                "operations of others would not run: train without them, on one device, or with lt.build_train_step, "
                "whose update_ops chooses the towers that update moving averages".format(error)
            ) from error

    return explained


def _contrib_utils(module: Any) -> None:
    """create_train_op: the names of its operations are those of tf.contrib.training, which scripts fetch by name."""
    module.create_train_op = script_api.module("tensorflow.contrib.training").create_train_op


def _with_summaries_alone(loss_fn: Callable[..., Any]) -> Callable[..., Any]:
    def loss(model: Any, add_summaries: bool) -> Any:
        return loss_fn(model, add_summaries=add_summaries)

    return loss


def _conditioning(module: Any) -> None:
    """condition_tensor: its variables are those of tf.contrib.layers.linear."""

    def condition_tensor(tensor: Any, conditioning: Any) -> Any:
        """Returns `tensor` plus a linear function of `conditioning`, [batch, ...], in the shape of `tensor`."""
        tensor.shape[1:].assert_is_fully_defined()
        layers = script_api.module("tensorflow.contrib.layers")
        mapped = layers.linear(layers.flatten(conditioning), tensor.shape[1:].num_elements())
        if not mapped.shape.is_compatible_with(tensor.shape):
            mapped = tf.reshape(mapped, module._get_shape(tensor))
        return tensor + mapped

    module.condition_tensor = condition_tensor


def _spectral_normalization(module: Any) -> None:
    """The names of operations are the third argument, as before `training` was added."""
    compute, normalize = module.compute_spectral_norm, module.spectral_normalize
    regularizer = module.spectral_norm_regularizer

    @functools.wraps(compute)
    def compute_spectral_norm(w_tensor: Any, power_iteration_rounds: int = 1, name: Any = None, **options: Any) -> Any:
        return compute(w_tensor, power_iteration_rounds, name=name, **options)

    @functools.wraps(normalize)
    def spectral_normalize(w: Any, power_iteration_rounds: int = 1, name: Any = None, **options: Any) -> Any:
        return normalize(w, power_iteration_rounds, name=name, **options)

    @functools.wraps(regularizer)
    def spectral_norm_regularizer(scale: Any, power_iteration_rounds: int = 1, scope: Any = None) -> Any:
        return regularizer(scale, power_iteration_rounds, scope=scope)

    module.compute_spectral_norm = compute_spectral_norm
    module.spectral_normalize = spectral_normalize
    module.spectral_norm_regularizer = spectral_norm_regularizer


# Module of tensorflow_gan -> what replaces its functions once it is loaded.
AFTER: Dict[str, Callable[[Any], None]] = {
    "python.contrib_utils": _contrib_utils,
    "python.train": _train,
    "python.features.conditioning_utils": _conditioning,
    "python.features.spectral_normalization": _spectral_normalization,
}
