"""Functions of tf.contrib.data that tf.data.experimental lacks or that have other arguments there."""
from typing import Any, Callable, Dict, Optional, Sequence

from legacy_towers.compat.versions import tf

Transformation = Callable[[Any], Any]
_new = tf.data.experimental

bucket_by_sequence_length = _new.bucket_by_sequence_length
group_by_window = _new.group_by_window
rejection_resample = _new.rejection_resample
scan = _new.scan


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Returns a transformation to batches of `batch_size`; a smaller last batch is dropped."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Transformation:
    """Returns a transformation to padded batches of `batch_size`; a smaller last batch is dropped."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Optional[int] = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Returns a transformation that maps `map_func`, then batches."""
    return _new.map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Returns a transformation that interleaves the datasets that `map_func` returns, read in parallel."""
    return _new.parallel_interleave(
        map_func, cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements
    )


def sloppy_interleave(map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1) -> Transformation:
    """Returns `parallel_interleave` in nondeterministic order."""
    return _new.parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """Returns a transformation that asserts the shapes of elements and sets their static shapes.

    Args:
      expected_shapes: a nested structure of shapes, like the elements.

    Raises:
      ValueError: (in the transformation) the static shapes of the dataset contradict `expected_shapes`.
      tf.errors.InvalidArgumentError: (in a session run) an element has another shape.
    """

    def transformation(dataset: Any) -> Any:
        shapes = tf.data.get_output_shapes(dataset)
        expected = _flat_shapes(expected_shapes)
        for static, shape in zip(tf.nest.flatten(shapes), expected):
            if not static.is_compatible_with(shape):
                raise ValueError("Shape {} of the dataset is not compatible with {}".format(static, shape))

        def check(*element: Any) -> Any:
            whole = element if len(element) > 1 else element[0]
            checked = [tf.ensure_shape(tensor, shape) for tensor, shape in zip(tf.nest.flatten(whole), expected)]
            return tf.nest.pack_sequence_as(whole, checked)

        return dataset.map(check)

    return transformation


def _flat_shapes(nested: Any) -> Sequence[Any]:
    """Returns the shapes in nested dicts and tuples, in the order of tf.nest.flatten; a list is a shape."""
    if isinstance(nested, dict):
        return [shape for name in sorted(nested) for shape in _flat_shapes(nested[name])]
    if isinstance(nested, tuple):
        return [shape for each in nested for shape in _flat_shapes(each)]
    return [tf.TensorShape(nested)]


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """Returns the tensors to which the tf.data.experimental.Reducer `reducer` reduces all elements of `dataset`."""
    state = dataset.reduce(
        reducer.init_func(tf.constant(0, tf.int64)), lambda state, *row: _reduced(reducer, state, row)
    )
    return reducer.finalize_func(state)


def _reduced(reducer: Any, state: Any, row: Any) -> Any:
    return reducer.reduce_func(state, row if len(row) > 1 else row[0])


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """Returns a transformation to batches of sliding windows; incomplete windows are dropped.

    Args:
      window_size: the number of elements of a window.
      stride: the older name of `window_shift`.
      window_shift: the number of elements between the starts of two windows, by default 1.
      window_stride: the number of elements between two elements of a window, by default 1.

    Raises:
      ValueError: both `stride` and `window_shift` are given.
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
    """Returns name -> tensor, the next batch of tf.train.Example records parsed by `features`."""
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
