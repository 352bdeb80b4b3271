"""Pipelines of slim that are not rewritten, with the reason. Those that are have their pairs in pairs/."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

START = """\
import tensorflow as tf

slim = tf.contrib.slim
decoder = slim.tfexample_decoder.TFExampleDecoder({}, {})
"""
TFRECORDS = "data = slim.dataset.Dataset('a', tf.TFRecordReader, decoder, 9, {})\n"
PROVIDER = "provider = slim.dataset_data_provider.DatasetDataProvider(data)\n"
BATCH = "[x] = provider.get(['x'])\nprint(tf.train.batch([x], 2))\n"


def _planned(tmp_path, text):
    (tmp_path / "script.py").write_text(text)
    project = read_project([str(tmp_path)])
    return plan_rewrite(project, find_pipelines(project))


@pytest.mark.parametrize("text, reason", [
    (TFRECORDS + PROVIDER.replace("data)", "data, record_key='k')") + BATCH,
     "its record_key is used, which tf.data does not have"),
    (TFRECORDS + PROVIDER.replace("data)", "data, reader_kwargs=f())") + BATCH,
     "the source does not show its reader_kwargs"),
    ("data = slim.dataset.Dataset('a', f(), decoder, 9, {})\n" + PROVIDER + BATCH,
     "the source does not show the reader of its files"),
    ("data = slim.dataset.Dataset('a', tf.LMDBReader, decoder, 9, {})\n" + PROVIDER + BATCH,
     "tf.data has no tf.LMDBReader"),
    (TFRECORDS.replace("decoder, 9", "slim.tfexample_decoder.LookupTensor('a', t), 9") + PROVIDER + BATCH,
     "its decoder uses a table, which nothing would initialize in the dataset"),
    (TFRECORDS + "[x] = slim.dataset_data_provider.DatasetDataProvider(data).get(['x'])\n"
     "print(tf.train.batch([x], 2))\n",
     "its provider is kept in an object, or used in an expression"),
    (TFRECORDS + PROVIDER + BATCH + "size = tf.size(x)\n", "'x' holds one example, and is used after the batch"),
    ("k, x = slim.parallel_reader.parallel_read('a', tf.TFRecordReader)\nprint(tf.train.batch([x, k], 2))\n",
     "its key is used, which tf.data does not have"),
], ids=["record_key", "unknown reader_kwargs", "unknown reader", "reader without a dataset", "table",
        "provider in an expression", "example used after the batch", "key"])
def test_what_slim_reads_is_left(tmp_path, text, reason):
    plan = _planned(tmp_path, START + text)
    assert plan.texts == {}
    assert [each.reason for each in plan.left] == [reason]


def test_programs_that_share_a_description_of_files_are_rewritten_each_by_itself(tmp_path):
    (tmp_path / "files.py").write_text(
        START + "def get(names):\n    return slim.dataset.Dataset(names, tf.TFRecordReader, decoder, 9, {})\n")
    start = "import tensorflow as tf\nimport files\nslim = tf.contrib.slim\ndata = files.get('a')\n"
    (tmp_path / "train.py").write_text(start + PROVIDER + BATCH)
    plan = _planned(tmp_path, start + PROVIDER + BATCH + "size = tf.size(x)\n")
    assert [path.rpartition("/")[2] for path in plan.texts] == ["train.py"]
    assert [each.reason for each in plan.left] == ["'x' holds one example, and is used after the batch"]
