"""Functions and options of tf.data whose arguments or names differ between versions."""
import inspect
import multiprocessing
import warnings
from typing import Any, Callable, List, Sequence

from legacy_towers.compat.versions import tf


def dataset_from_generator(generator: Callable[..., Any], specs: Sequence[Any], args: Sequence[Any] = ()) -> Any:
    """Returns a tf.data.Dataset of the tuples of tensors that `generator` yields, described by `tf.TensorSpec`s.

    The generator function gets the values of the tensors `args`. TF 1.15 has only output_types and output_shapes,
    deprecated from 2.4 on for output_signature.
    Tried on 1.15 and 2.21; ends with 1.15.
    """
    from_generator = tf.data.Dataset.from_generator
    if "output_signature" in inspect.signature(from_generator).parameters:
        return from_generator(generator, args=tuple(args), output_signature=tuple(specs))
    return from_generator(
        generator, tuple(spec.dtype for spec in specs), tuple(spec.shape for spec in specs), args=tuple(args)
    )


def scan(dataset: Any, state: Any, function: Callable[[Any, Any], Any]) -> Any:
    """Returns `dataset` mapped by `function(state, element) -> (new state, new element)`, beginning with `state`.

    A method from TF 2.6 on, a transformation before. Tried on 1.15 and 2.21; ends with 2.5.
    """
    if hasattr(dataset, "scan"):
        return dataset.scan(state, function)
    return dataset.apply(tf.data.experimental.scan(state, function))


def group_by_window(dataset: Any, key: Any, reduce: Any, size: Any) -> Any:
    """Returns `dataset` grouped by `key(*element)`; groups of `size(key)` elements become `reduce(key, group)`.

    A method from TF 2.6 on, a transformation before. Tried on 1.15 and 2.21; ends with 2.5.
    """
    if hasattr(dataset, "group_by_window"):
        return dataset.group_by_window(key, reduce, window_size_func=size)
    return dataset.apply(tf.data.experimental.group_by_window(key, reduce, window_size_func=size))


def map_without_threads(dataset: Any, function: Callable[..., Any]) -> Any:
    """Returns `dataset.map(function)` whose operations run one by one in the thread that reads the dataset.

    `map` has a thread of the session's pool run each operation. Its options keep TensorFlow from replacing it by a
    parallel map, alone or together with `batch`. `function` may have no control flow of TensorFlow 1.

    Private: MapDataset, whose argument use_inter_op_parallelism `map` does not have. Tried on 1.15, 2.13, 2.16 and
    2.21.
    """
    from tensorflow.python.data.ops import dataset_ops

    mapped = dataset_ops.DatasetV1Adapter(_map_class()(dataset, function, use_inter_op_parallelism=False))
    options = tf.data.Options()
    options.experimental_optimization.map_and_batch_fusion = False
    options.experimental_optimization.map_parallelization = False
    return mapped.with_options(options)


def _map_class() -> Any:
    from tensorflow.python.data.ops import dataset_ops

    if hasattr(dataset_ops, "MapDataset"):  # TensorFlow 1.15; ends with it
        return dataset_ops.MapDataset
    from tensorflow.python.data.ops import map_op

    return map_op._MapDataset


def has_rebatch(dataset: Any) -> bool:
    """Returns whether `dataset` has `rebatch`, which does what unbatch and batch do. From TF 2.10 on."""
    return hasattr(dataset, "rebatch")


def iterators_on_devices(dataset: Any, devices: Sequence[str], source_device: str, prefetch: int) -> List[Any]:
    """Returns an initializable iterator on each device; the elements of `dataset` go to the devices in turn.

    A device may occur several times. Up to `prefetch` elements are buffered on each device, and as many for it on
    `source_device`. A session that is closed before the end of data may log "MultiDeviceIterator does not exist" on
    1.15.

    Private: MultiDeviceIterator is public only inside tf.distribute. Its own `get_next` neither orders the reads of the
    devices nor accepts a device twice, so its iterators are returned. Tried on 1.15 and 2.21.
    """
    from tensorflow.python.data.ops import multi_device_iterator_ops

    with warnings.catch_warnings():
        # On 2.x it reads the dataset's options, and TensorFlow warns that some get lost; none of them is used here.
        warnings.filterwarnings("ignore", "To make it possible to preserve tf.data options", UserWarning)
        iterator = multi_device_iterator_ops.MultiDeviceIterator(
            dataset, list(devices), max_buffer_size=prefetch, prefetch_buffer_size=prefetch, source_device=source_device
        )
    return list(iterator._device_iterators)


def set_deterministic(options: Any, deterministic: bool) -> None:
    """Sets in the tf.data.Options `options` whether parallel transformations keep the order of elements."""
    if hasattr(options, "deterministic"):
        options.deterministic = deterministic
    else:  # TensorFlow 1.15; ends with it
        options.experimental_deterministic = deterministic


def set_private_threads(options: Any, threads: int) -> None:
    """Sets the size of the private thread pool in the tf.data.Options `options`."""
    if hasattr(options, "threading"):
        options.threading.private_threadpool_size = threads
    else:  # TensorFlow 1.15; ends with it
        options.experimental_threading.private_threadpool_size = threads


def get_next_sync(iterator: Any) -> Any:
    """Returns the tensors of the next element of `iterator`, taken in the thread that runs the session's operations.

    `get_next` wakes a thread of the iterator, which takes 30 to 50 us: a sixth of a short step. Here the session's
    thread itself waits for the element.

    Args:
      iterator: of a dataset `with_own_threads`, of tuples of dense tensors, which waits for nothing that the session
        has yet to run.

    Private: the iterator's resource. Tried on 1.15, 2.13, 2.16 and 2.21.
    """
    return tuple(tf.raw_ops.IteratorGetNextSync(
        iterator=iterator._iterator_resource,
        output_types=tf.nest.flatten(tf.data.get_output_types(iterator)),
        output_shapes=tf.nest.flatten(tf.data.get_output_shapes(iterator)),
        name="IteratorGetNext",
    ))


def with_own_threads(dataset: Any) -> Any:
    """Returns `dataset`, whose functions run in threads of its own, so that a session's thread can wait for them.

    Those of TF 2.x have them. On TF 1.15 they run in threads of the session, and one that waits for an element could be
    the last one. Tried on 1.15, 2.13, 2.16 and 2.21; ends with 1.15.
    """
    options = tf.data.Options()
    if hasattr(options, "threading"):
        return dataset
    set_private_threads(options, multiprocessing.cpu_count())
    return dataset.with_options(options)


def with_parallel_operations(dataset: Any) -> Any:
    """Returns `dataset` with operations in its functions that use all cores, as those of a session do.

    TF 2.x gives each of them one thread, so that sums of large tensors differ in the last bit; TF 1.15 does not.
    Tried on 1.15 and 2.21; ends with 1.15.
    """
    options = tf.data.Options()
    if not hasattr(options, "threading"):
        return dataset
    options.threading.max_intra_op_parallelism = 0  # as many threads as there are cores
    return dataset.with_options(options)


def prefetched(dataset: Any, size: int) -> Any:
    """Returns `dataset` with `size` elements computed ahead, for several datasets that one session run reads.

    With TF 1.15's own prefetch such a run can wait for ever where two datasets end in it: the first one that ends
    cancels the run, and with it the thread that fills the buffer of the other. A parallel map computes ahead, too, but
    it forgets the static shapes of sparse tensors, which keep the prefetch.

    Private: ParallelMapDataset, whose argument use_inter_op_parallelism `map` does not have. Tried on 1.15 and 2.21;
    ends with 1.15.
    """
    classes = tf.nest.flatten(tf.data.get_output_classes(dataset))
    if hasattr(tf.data.Options(), "threading") or any(each is not tf.Tensor for each in classes):
        return dataset.prefetch(size)
    unpacked = type(tf.data.get_output_types(dataset)) is tuple  # as in `map`: named tuples are one argument

    def unchanged(*element: Any) -> Any:
        return element if unpacked else element[0]

    from tensorflow.python.data.ops import dataset_ops

    # As `map`, with one closure for an element in place of two.
    return dataset_ops.DatasetV1Adapter(dataset_ops.ParallelMapDataset(
        dataset, tf.autograph.experimental.do_not_convert(unchanged), size, use_inter_op_parallelism=False
    ))


def lmdb_dataset(path: Any) -> Any:
    """Returns a tf.data.Dataset of the (key, value) of an LMDB file, in the order of the keys; None without LMDB.

    Only TF 1.15 has it: 2.x has the operation, which raises UnimplementedError.

    Private: DatasetSource and DatasetV1Adapter; tf.contrib.data.LMDBDataset takes no tensor in 1.15. Tried on 1.15 and
    2.21; ends with 1.15.
    """
    from tensorflow.python.data.ops import dataset_ops

    if hasattr(tf.data.Options(), "threading"):
        return None
    string = tf.TensorSpec([], tf.string)

    class _Lmdb(dataset_ops.DatasetSource):
        element_spec = (string, string)

        def __init__(self) -> None:
            super().__init__(tf.raw_ops.LMDBDataset(
                filenames=path, output_types=[tf.string, tf.string], output_shapes=[[], []]
            ))

    return dataset_ops.DatasetV1Adapter(_Lmdb())
