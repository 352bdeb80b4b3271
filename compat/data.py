"""Functions and options of tf.data whose arguments or names differ between versions."""
import inspect
from typing import Any, Callable, Sequence

from legacy_towers.compat import tf


def dataset_from_generator(generator: Callable[[], Any], specs: Sequence[Any]) -> Any:
    """Returns a tf.data.Dataset of tuples of tensors that `generator` yields, by their `tf.TensorSpec`s.

    TF 1.15 knows only output_types and output_shapes, deprecated from 2.4 on for output_signature.
    Tried on 1.15 and 2.21; ends with 1.15.
    """
    from_generator = tf.data.Dataset.from_generator
    if "output_signature" in inspect.signature(from_generator).parameters:
        return from_generator(generator, output_signature=tuple(specs))
    return from_generator(generator, tuple(spec.dtype for spec in specs), tuple(spec.shape for spec in specs))


def without_batch_fusion(dataset: Any) -> Any:
    """Returns `dataset` so that TF 1.15 does not fuse a `map` with the `batch` after it; later versions are left alone.

    The fused op of 1.15 hangs at an error in its input, such as a damaged record, instead of raising it: 1 run in 20 to
    50 of two `get_next`s of one iterator. Seen on 1.15.5, not on 2.21; ends with 1.15.
    """
    if tf.VERSION.split(".")[0] != "1":
        return dataset
    options = tf.data.Options()
    options.experimental_optimization.map_and_batch_fusion = False
    return dataset.with_options(options)


def set_deterministic(options: Any, deterministic: bool) -> None:
    """Says in the tf.data.Options `options` whether parallel parts of a dataset keep the order of their elements."""
    if hasattr(options, "deterministic"):
        options.deterministic = deterministic
    else:  # TensorFlow 1.15; ends with it
        options.experimental_deterministic = deterministic


def set_private_threads(options: Any, threads: int) -> None:
    """Gives a dataset with the tf.data.Options `options` a pool of `threads` threads of its own."""
    if hasattr(options, "threading"):
        options.threading.private_threadpool_size = threads
    else:  # TensorFlow 1.15; ends with it
        options.experimental_threading.private_threadpool_size = threads
