"""Functions of tf.contrib.data whose arguments tf.data.experimental changed, or that it lacks."""
from typing import Any, Callable, Dict, Optional, Sequence

from legacy_towers.compat import tf

Transformation = Callable[[Any], Any]
_new = tf.data.experimental

bucket_by_sequence_length = _new.bucket_by_sequence_length
group_by_window = _new.group_by_window
rejection_resample = _new.rejection_resample
scan = _new.scan


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Batches of exactly `batch_size`; what is left at the end is dropped."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Transformation:
    """The same with padding."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Optional[int] = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """`map` and `batch` in one."""
    return _new.map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Interleaves datasets that are read by threads of their own."""
    return _new.parallel_interleave(
        map_func, cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements
    )


def sloppy_interleave(map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1) -> Transformation:
    """The same in whatever order is fastest."""
    return _new.parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """Elements keep their values and get `expected_shapes`; one of another shape is an error when it comes.

    Raises:
      ValueError: the dataset's static shapes contradict `expected_shapes`.
    """

    def transformation(dataset: Any) -> Any:
        shapes = tf.data.get_output_shapes(dataset)
        expected = _like(shapes, expected_shapes)
        for known, asked in zip(tf.nest.flatten(shapes), expected):
            if not known.is_compatible_with(asked):
                raise ValueError("Shape {} of the dataset is not compatible with {}".format(known, asked))

        def check(*element: Any) -> Any:
            whole = element if len(element) > 1 else element[0]
            checked = [tf.ensure_shape(tensor, shape) for tensor, shape in zip(tf.nest.flatten(whole), expected)]
            return tf.nest.pack_sequence_as(whole, checked)

        return dataset.map(check)

    return transformation


def _like(shapes: Any, given: Any) -> Sequence[Any]:
    """Returns the shapes of `given`, flat, in the order of the components of `shapes`."""
    if isinstance(given, dict):
        return [shape for name in sorted(given) for shape in _like(None, given[name])]
    if isinstance(given, tuple):
        return [shape for one in given for shape in _like(None, one)]
    return [tf.TensorShape(given)]


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """Returns the tensors that `reducer` makes of all elements."""
    state = dataset.reduce(
        reducer.init_func(tf.constant(0, tf.int64)), lambda state, *row: _reduced(reducer, state, row)
    )
    return reducer.finalize_func(state)


def _reduced(reducer: Any, state: Any, row: Any) -> Any:
    return reducer.reduce_func(state, row if len(row) > 1 else row[0])


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """Windows of `window_size` elements, each `window_shift` further (`stride` by its older name); the rest is dropped.

    Raises:
      ValueError: both names are used.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = window_shift if window_shift is not None else stride if stride is not None else 1

    def batch_of(*parts: Any) -> Any:
        zipped = tf.data.Dataset.zip(parts) if len(parts) > 1 else parts[0]
        return zipped.batch(window_size, drop_remainder=True)

    def transformation(dataset: Any) -> Any:
        windows = dataset.window(window_size, shift=shift, stride=window_stride, drop_remainder=True)
        return windows.flat_map(lambda *parts: batch_of(*[_zipped(part) for part in parts]))

    return transformation


def _zipped(part: Any) -> Any:
    return tf.data.Dataset.zip(part) if isinstance(part, (dict, tuple)) else part


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: Dict[str, Any],
    reader: Any = None,
    reader_args: Any = None,
    randomize_input: bool = True,
    num_epochs: Optional[int] = None,
    capacity: int = 10000,
) -> Any:
    """Returns name -> tensor of the next batch of parsed examples."""
    dataset = _new.make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader=reader if reader is not None else tf.data.TFRecordDataset,
        reader_args=reader_args,
        shuffle=randomize_input,
        num_epochs=num_epochs,
        shuffle_buffer_size=capacity,
    )
    return tf.data.make_one_shot_iterator(dataset).get_next()
