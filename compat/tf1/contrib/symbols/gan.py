"""The names of tf.contrib.gan of TensorFlow 1.4 to 1.14, which 1.15 no longer had."""
from typing import Dict, List, Tuple

from legacy_towers.compat.tf1.symbols import Symbol

_OURS = "legacy_towers.compat.tf1.contrib.gan"
_LIBRARY = "legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python"

# Module below tensorflow.contrib.gan.python -> target.
_BELOW: Dict[str, str] = {
    "": _OURS,
    "namedtuples": _LIBRARY + ".namedtuples",
    "train": _LIBRARY + ".train",
    "estimator": _OURS + ".estimator",
    "estimator.python": _OURS + ".estimator",
    "estimator.python.gan_estimator": _OURS + ".gan_estimator",
    "estimator.python.head": _OURS + ".head",
    "estimator.python.latent_gan_estimator": _LIBRARY + ".estimator.latent_gan_estimator",
    "estimator.python.stargan_estimator": _LIBRARY + ".estimator.stargan_estimator",
    "eval": _OURS + ".eval",
    "eval.python": _OURS + ".eval",
    "eval.python.classifier_metrics": _OURS + ".classifier_metrics",
    "eval.python.eval_utils": _LIBRARY + ".eval.eval_utils",
    "eval.python.sliced_wasserstein": _LIBRARY + ".eval.sliced_wasserstein",
    "eval.python.summaries": _LIBRARY + ".eval.summaries",
    "features": _OURS + ".features",
    "features.python": _OURS + ".features",
    "features.python.clip_weights": _LIBRARY + ".features.clip_weights",
    "features.python.conditioning_utils": _LIBRARY + ".features.conditioning_utils",
    "features.python.random_tensor_pool": _LIBRARY + ".features.random_tensor_pool",
    "features.python.spectral_normalization": _LIBRARY + ".features.spectral_normalization",
    "features.python.virtual_batchnorm": _LIBRARY + ".features.virtual_batchnorm",
    "losses": _OURS + ".losses",
    "losses.python": _OURS + ".losses",
    "losses.python.losses_impl": _LIBRARY + ".losses.losses_impl",
    "losses.python.losses_wargs": _LIBRARY + ".losses.losses_impl",
    "losses.python.tuple_losses": _LIBRARY + ".losses.tuple_losses",
}
# Module below tensorflow.contrib.gan -> target.
_PUBLIC: Dict[str, str] = {
    "estimator": _OURS + ".estimator",
    "estimator.gan_estimator": _OURS + ".gan_estimator",
    "estimator.head": _OURS + ".head",
    "estimator.latent_gan_estimator": _LIBRARY + ".estimator.latent_gan_estimator",
    "estimator.stargan_estimator": _LIBRARY + ".estimator.stargan_estimator",
    "eval": _OURS + ".eval",
    "eval.classifier_metrics": _OURS + ".classifier_metrics",
    "eval.eval_utils": _LIBRARY + ".eval.eval_utils",
    "eval.summaries": _LIBRARY + ".eval.summaries",
    "features": _OURS + ".features",
    "losses": _OURS + ".losses",
    "losses.wargs": _LIBRARY + ".losses.losses_impl",
}
_NOTE = "needs the package tensorflow_gan: pip install --no-deps tensorflow-gan==2.1.0"


def _rows() -> List[Symbol]:
    rows = [Symbol("tensorflow.contrib.gan", _OURS, on_1_15=True, note=_NOTE)]
    rows += [Symbol("tensorflow.contrib.gan." + name, target, on_1_15=True) for name, target in _PUBLIC.items()]
    for name, target in _BELOW.items():
        whole = "tensorflow.contrib.gan.python" + ("." + name if name else "")
        rows.append(Symbol(whole, target, on_1_15=True))
        parts = name.split(".")
        if len(parts) == 3 and name not in _BELOW_WITHOUT_IMPL:
            rows.append(Symbol(whole + "_impl", target, on_1_15=True))
    return rows


_BELOW_WITHOUT_IMPL = ("losses.python.losses_impl", "losses.python.losses_wargs")
SYMBOLS: Tuple[Symbol, ...] = tuple(_rows())

_TPU = "TPUs are not supported: use GANEstimator"
_KERAS = "pass spectral_normalization_custom_getter() to a tf.variable_scope around layers of tf.layers"
_V3 = "that graph of 1.4 is no longer offered: use INCEPTION_OUTPUT and the other names of the graph of 1.8"
_UNSUPPORTED: Dict[str, str] = {
    "estimator.TPUGANEstimator": _TPU,
    "estimator.tpu_gan_estimator": _TPU,
    "python.estimator.python.tpu_gan_estimator": _TPU,
    "python.estimator.python.tpu_gan_estimator_impl": _TPU,
    "features.keras_spectral_normalization": _KERAS,
    "eval.INCEPTION_V3_DEFAULT_IMG_SIZE": _V3,
    "eval.INCEPTION_V3_FINAL_POOL": _V3,
    "eval.INCEPTION_V3_INPUT": _V3,
    "eval.INCEPTION_V3_OUTPUT": _V3,
}
UNSUPPORTED: Dict[str, str] = {"tensorflow.contrib.gan." + _name: _reason for _name, _reason in _UNSUPPORTED.items()}
