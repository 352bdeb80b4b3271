"""Functions and options of tf.data whose arguments or names differ between versions."""
import inspect
import warnings
from typing import Any, Callable, List, Sequence

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


def scan(dataset: Any, state: Any, function: Callable[[Any, Any], Any]) -> Any:
    """Returns the dataset of what `function(state, element) -> (new state, new element)` makes of `dataset`.

    A method from TF 2.6 on, before it a transformation. Tried on 1.15 and 2.21; ends with 2.5.
    """
    if hasattr(dataset, "scan"):
        return dataset.scan(state, function)
    return dataset.apply(tf.data.experimental.scan(state, function))


def iterators_on_devices(dataset: Any, devices: Sequence[str], source_device: str, prefetch: int) -> List[Any]:
    """Returns an initializable iterator on each device; together they deal out `dataset`, element by element.

    A device may occur several times. Up to `prefetch` elements wait on each device, and as many for it beside the
    dataset. A session that is closed before the end of data may log "MultiDeviceIterator does not exist" on 1.15.

    By TensorFlow's MultiDeviceIterator, which is public only inside tf.distribute; its own `get_next` neither chains
    the pulls nor takes a device twice, so its iterators are taken. Tried on 1.15 and 2.21.
    """
    from tensorflow.python.data.ops import multi_device_iterator_ops

    with warnings.catch_warnings():
        # On 2.x it asks the dataset for its options, which TensorFlow warns of, and needs none of those in question.
        warnings.filterwarnings("ignore", "To make it possible to preserve tf.data options", UserWarning)
        dealt = multi_device_iterator_ops.MultiDeviceIterator(
            dataset, list(devices), max_buffer_size=prefetch, prefetch_buffer_size=prefetch, source_device=source_device
        )
    return list(dealt._device_iterators)  # pylint: disable=protected-access


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
