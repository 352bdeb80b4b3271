"""The name of TensorFlow's public API for each name that scripts import."""
import pytest

from legacy_towers.migrate.source.names import canonical_name


@pytest.mark.parametrize(
    "dotted, name",
    [
        ("tensorflow", "tf"),
        ("tensorflow.train.batch", "tf.train.batch"),
        ("tensorflow.compat.v1.train.batch", "tf.train.batch"),
        ("legacy_towers.compat.tf", "tf"),
        ("legacy_towers.compat.tf.train.batch", "tf.train.batch"),
        ("tensorflow.python.training.input.batch", "tf.train.batch"),
        ("tensorflow.python.ops.data_flow_ops.FIFOQueue", "tf.FIFOQueue"),
        ("tensorflow.queue.PaddingFIFOQueue", "tf.PaddingFIFOQueue"),
        ("tensorflow.io.match_filenames_once", "tf.match_filenames_once"),
        ("tensorflow.train.match_filenames_once", "tf.match_filenames_once"),
        ("tensorflow.initialize_local_variables", "tf.local_variables_initializer"),
        ("tensorflow.contrib.slim.prefetch_queue.prefetch_queue", "tf.contrib.slim.prefetch_queue"),
        (
            "tensorflow.contrib.slim.python.slim.data.dataset_data_provider.DatasetDataProvider",
            "tf.contrib.slim.DatasetDataProvider",
        ),
        ("tf_slim.parallel_reader.parallel_read", "tf.contrib.slim.parallel_read"),
        ("tensorflow_datasets.load", None),
        ("queue.Queue", None),
    ],
)
def test_public_name(dotted, name):
    assert canonical_name(dotted) == name
