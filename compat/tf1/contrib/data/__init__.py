"""tf.contrib.data: transformations, now in tf.data.experimental, and the Dataset of TensorFlow 1.2 and 1.3."""
from legacy_towers.compat.tf1.contrib.data.old_dataset import (
    Dataset,
    FixedLengthRecordDataset,
    TextLineDataset,
    TFRecordDataset,
)
from legacy_towers.compat.tf1.contrib.data.transformations import (
    assert_element_shape,
    batch_and_drop_remainder,
    bucket_by_sequence_length,
    group_by_window,
    map_and_batch,
    padded_batch_and_drop_remainder,
    parallel_interleave,
    read_batch_features,
    reduce_dataset,
    rejection_resample,
    scan,
    sliding_window_batch,
    sloppy_interleave,
)
from legacy_towers.compat.versions import tf

_new = tf.data.experimental

AUTOTUNE = _new.AUTOTUNE
CheckpointInputPipelineHook = getattr(_new, "CheckpointInputPipelineHook", None)
Counter = _new.Counter
CsvDataset = _new.CsvDataset
Iterator = tf.data.Iterator
Optional = _new.Optional
RandomDataset = _new.RandomDataset
Reducer = _new.Reducer
SqlDataset = _new.SqlDataset
TFRecordWriter = _new.TFRecordWriter
choose_from_datasets = _new.choose_from_datasets
copy_to_device = _new.copy_to_device
dense_to_sparse_batch = _new.dense_to_sparse_batch
enumerate_dataset = _new.enumerate_dataset
get_next_as_optional = _new.get_next_as_optional
get_single_element = _new.get_single_element
group_by_reducer = _new.group_by_reducer
ignore_errors = _new.ignore_errors
make_batched_features_dataset = _new.make_batched_features_dataset
make_csv_dataset = _new.make_csv_dataset
make_saveable_from_iterator = _new.make_saveable_from_iterator
parse_example_dataset = _new.parse_example_dataset
prefetch_to_device = _new.prefetch_to_device
sample_from_datasets = _new.sample_from_datasets
shuffle_and_repeat = _new.shuffle_and_repeat
unbatch = _new.unbatch
unique = _new.unique
if CheckpointInputPipelineHook is None:  # TensorFlow removed it with tf.estimator
    from legacy_towers.compat.tf1.contrib.data.pipeline_hook import CheckpointInputPipelineHook

__all__ = [
    "AUTOTUNE",
    "CheckpointInputPipelineHook",
    "Counter",
    "CsvDataset",
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "Optional",
    "RandomDataset",
    "Reducer",
    "SqlDataset",
    "TFRecordDataset",
    "TFRecordWriter",
    "TextLineDataset",
    "assert_element_shape",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "read_batch_features",
    "reduce_dataset",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "sliding_window_batch",
    "sloppy_interleave",
    "unbatch",
    "unique",
]
