"""Names and arguments of TensorFlow 1.4 to 1.14 that 1.15 no longer has, on every TensorFlow."""
import enum
import functools
import importlib
from typing import Any, Callable

import numpy as np

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf

# Arguments of tf.autograph.to_graph and to_code that 1.14 dropped; they changed messages and checks, not the graph.
_OF_MESSAGES = ("experimental_strip_decorators", "experimental_verbose", "experimental_partial_types")


class Verbosity(enum.IntEnum):
    """tf.autograph.experimental.Verbosity of 1.13, for `to_graph(experimental_verbose=)`."""

    BRIEF = 0
    VERBOSE = 1


def _without(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        for each in _OF_MESSAGES:
            if options.pop(each, None) is not None:
                user_script.report_replacement("{}({}=)".format(name, each), "no effect, as since TensorFlow 1.14")
        return function(*arguments, **options)

    return called


to_graph = _without(tf.autograph.to_graph, "tf.autograph.to_graph")
to_code = _without(tf.autograph.to_code, "tf.autograph.to_code")


def filter_for_shard(num_shards: Any, shard_index: Any) -> Callable[[Any], Any]:
    """Returns a transformation for Dataset.apply that keeps each `num_shards`-th element, from `shard_index` on."""
    return lambda dataset: dataset.shard(num_shards, shard_index)


def set_stats_aggregator(stats_aggregator: Any, prefix: str = "", counter_prefix: str = "") -> Callable[[Any], Any]:
    """Returns a transformation for Dataset.apply that returns its dataset; see `data_statistics`."""
    name = "tf.data.experimental.set_stats_aggregator"
    user_script.report_replacement(name, "a transformation without effect: TensorFlow has no statistics of datasets")
    return lambda dataset: dataset


def NestedStructure(nested_structure: Any) -> Any:  # noqa: N802
    """Returns `nested_structure`, which since 1.15 describes a nested element by itself."""
    return nested_structure


def SparseTensorStructure(dtype: Any, dense_shape: Any = None, shape: Any = None) -> Any:  # noqa: N802
    """Returns the description of a sparse tensor; `dense_shape` is the name of `shape` before 1.15."""
    return tf.data.experimental.SparseTensorStructure(dtype, dense_shape if shape is None else shape)


@functools.wraps(tf.nn.softmax_cross_entropy_with_logits_v2)
def softmax_cross_entropy_with_logits_v2(*arguments: Any, **options: Any) -> Any:
    if options.pop("_sentinel", None) is not None:
        raise ValueError("Only call softmax_cross_entropy_with_logits_v2 with named arguments (labels=, logits=, ...)")
    return tf.nn.softmax_cross_entropy_with_logits_v2(*arguments, **options)


def random_channel_shift(
    x: np.ndarray, intensity_range: Any = None, channel_axis: int = 0, intensity: Any = None
) -> np.ndarray:
    """tf.keras.preprocessing.image.random_channel_shift; the range is called `intensity` before 1.9."""
    function = tf.keras.preprocessing.image.random_channel_shift
    result: np.ndarray = function(x, intensity_range if intensity is None else intensity, channel_axis)
    return result


def flip_axis(x: np.ndarray, axis: int) -> np.ndarray:
    """Returns `x`, a numpy array, with the order along `axis` reversed."""
    return np.flip(np.asarray(x), axis)


def apply_transform(
    x: np.ndarray, transform_matrix: np.ndarray, channel_axis: int = 0, fill_mode: str = "nearest", cval: float = 0.0
) -> np.ndarray:
    """Returns an image that an affine transformation maps, by linear interpolation, as in TensorFlow 1.8.

    Args:
      x: the image, [channels, height, width] or with its channels at `channel_axis`.
      transform_matrix: [3, 3] or [2, 3], from the coordinates of the result to those of `x`.
      fill_mode: "constant", "nearest", "reflect" or "wrap": what is outside of the image.
      cval: the value outside with "constant".
    """
    affine_transform = importlib.import_module("scipy.ndimage").affine_transform
    channels = [
        affine_transform(each, transform_matrix[:2, :2], transform_matrix[:2, 2], order=1, mode=fill_mode, cval=cval)
        for each in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(channels), 0, channel_axis)


def GeneratorEnqueuer(  # noqa: N802
    generator: Any = None, use_multiprocessing: bool = False, wait_time: float = 0.05, seed: Any = None, **options: Any
) -> Any:
    """Returns tf.keras.utils.GeneratorEnqueuer, with the arguments `wait_time` and `seed` of 1.4 to 1.12.

    Queues of Keras have no waiting time since 1.13: `wait_time` has no effect.
    """
    given = options.pop("sequence", generator)
    seed = options.pop("random_seed", seed)
    return tf.keras.utils.GeneratorEnqueuer(given, use_multiprocessing=use_multiprocessing, random_seed=seed, **options)
