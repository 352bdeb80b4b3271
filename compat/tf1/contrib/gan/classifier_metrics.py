"""Scores and distances of images by a classifier, with the argument names of TensorFlow 1.14."""
import functools
from typing import Any, Callable

from legacy_towers.compat.tf1.contrib.gan.inception import (
    INCEPTION_DEFAULT_IMAGE_SIZE,
    INCEPTION_FINAL_POOL,
    INCEPTION_FROZEN_GRAPH,
    INCEPTION_INPUT,
    INCEPTION_OUTPUT,
    INCEPTION_URL,
    get_graph_def_from_disk,
    get_graph_def_from_resource,
    get_graph_def_from_url_tarball,
    preprocess_image,
    run_image_classifier,
    run_inception,
)
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.eval import classifier_metrics as _library
from legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan.python.eval.classifier_metrics import (
    classifier_score_from_logits,
    trace_sqrt_product,
)

__all__ = [
    "INCEPTION_DEFAULT_IMAGE_SIZE",
    "INCEPTION_FINAL_POOL",
    "INCEPTION_FROZEN_GRAPH",
    "INCEPTION_INPUT",
    "INCEPTION_OUTPUT",
    "INCEPTION_URL",
    "classifier_score",
    "classifier_score_from_logits",
    "diagonal_only_frechet_classifier_distance_from_activations",
    "frechet_classifier_distance",
    "frechet_classifier_distance_from_activations",
    "frechet_inception_distance",
    "get_graph_def_from_disk",
    "get_graph_def_from_resource",
    "get_graph_def_from_url_tarball",
    "inception_score",
    "kernel_classifier_distance",
    "kernel_classifier_distance_and_std",
    "kernel_classifier_distance_and_std_from_activations",
    "kernel_classifier_distance_from_activations",
    "kernel_inception_distance",
    "kernel_inception_distance_and_std",
    "mean_only_frechet_classifier_distance_from_activations",
    "preprocess_image",
    "run_image_classifier",
    "run_inception",
    "trace_sqrt_product",
]

_Classifier = Callable[[Any], Any]


def classifier_score(images: Any, classifier_fn: _Classifier, num_batches: int = 1) -> Any:
    """Returns the classifier score of `images`: exp(mean KL divergence of each prediction and their mean)."""
    return _library.classifier_score(images, classifier_fn, num_batches)


def frechet_classifier_distance(
    real_images: Any, generated_images: Any, classifier_fn: _Classifier, num_batches: int = 1
) -> Any:
    """Returns the Frechet distance of the activations of real and generated images."""
    return _library.frechet_classifier_distance(real_images, generated_images, classifier_fn, num_batches)


def frechet_classifier_distance_from_activations(real_activations: Any, generated_activations: Any) -> Any:
    """Returns the Frechet distance of activations, [count, n] each."""
    return _library.frechet_classifier_distance_from_activations(real_activations, generated_activations)


def mean_only_frechet_classifier_distance_from_activations(real_activations: Any, generated_activations: Any) -> Any:
    """Returns the squared distance of the means of activations, [count, n] each."""
    return _library.mean_only_frechet_classifier_distance_from_activations(real_activations, generated_activations)


def diagonal_only_frechet_classifier_distance_from_activations(
    real_activations: Any, generated_activations: Any
) -> Any:
    """Returns the Frechet distance of activations, [count, n] each, with the diagonals of their covariances."""
    return _library.diagonal_only_frechet_classifier_distance_from_activations(real_activations, generated_activations)


def kernel_classifier_distance(
    real_images: Any,
    generated_images: Any,
    classifier_fn: _Classifier,
    num_classifier_batches: int = 1,
    max_block_size: int = 1024,
    dtype: Any = None,
) -> Any:
    """Returns the kernel distance of the activations of real and generated images."""
    return kernel_classifier_distance_and_std(
        real_images, generated_images, classifier_fn, num_classifier_batches, max_block_size, dtype
    )[0]


def kernel_classifier_distance_and_std(
    real_images: Any,
    generated_images: Any,
    classifier_fn: _Classifier,
    num_classifier_batches: int = 1,
    max_block_size: int = 1024,
    dtype: Any = None,
) -> Any:
    """Returns the kernel distance of activations and the standard error of its estimate."""
    return _library.kernel_classifier_distance_and_std(
        real_images, generated_images, classifier_fn, num_classifier_batches, max_block_size, dtype
    )


def kernel_classifier_distance_from_activations(
    real_activations: Any, generated_activations: Any, max_block_size: int = 1024, dtype: Any = None
) -> Any:
    """Returns the kernel distance of activations, [count, n] each."""
    return kernel_classifier_distance_and_std_from_activations(
        real_activations, generated_activations, max_block_size, dtype
    )[0]


def kernel_classifier_distance_and_std_from_activations(
    real_activations: Any, generated_activations: Any, max_block_size: int = 1024, dtype: Any = None
) -> Any:
    """Returns the kernel distance of activations, [count, n] each, and the standard error of its estimate."""
    return _library.kernel_classifier_distance_and_std_from_activations(
        real_activations, generated_activations, max_block_size, dtype
    )


_pool = functools.partial(run_inception, output_tensor=INCEPTION_FINAL_POOL)
inception_score = functools.partial(
    classifier_score, classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_OUTPUT)
)
frechet_inception_distance = functools.partial(frechet_classifier_distance, classifier_fn=_pool)
kernel_inception_distance = functools.partial(kernel_classifier_distance, classifier_fn=_pool)
kernel_inception_distance_and_std = functools.partial(kernel_classifier_distance_and_std, classifier_fn=_pool)
