"""Pipelines of one call that are left, with the reason."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

EXAMPLES = "def parse(record):\n    {}\nb = tf.contrib.learn.read_batch_examples('a*', 2, tf.TextLineReader"
FEATURES = "f = {'a': tf.FixedLenFeature([], tf.int64)}\nb = tf.contrib.learn.read_batch_features("


@pytest.mark.parametrize("text, reason", [
    ("x = tf.train.limit_epochs(tf.constant([1]), num_epochs=2)\n", None),
    ("x = tf.train.limit_epochs(tf.constant([1]))\n", "it has no num_epochs, and gives the tensor itself"),
    ("x = tf.train.limit_epochs(tf.random_normal([2]), 3)\n",
     "it reads from what is drawn at random in each epoch (tf.random_normal)"),
    ("v = tf.get_variable('v', [])\nx = tf.train.limit_epochs(tf.convert_to_tensor(v), 3)\n",
     "it computes examples with 'v', which is a variable (tf.get_variable)"),
    ("p = tf.placeholder(tf.int32)\nx = tf.train.limit_epochs(p, 3)\n",
     "it computes examples with 'p', which is fed (tf.placeholder)"),
    ("d = tf.data.Dataset.range(3)\nn = tf.data.make_one_shot_iterator(d).get_next()\n"
     "x = tf.train.limit_epochs(n + 1, 3)\n",
     "its tensor is computed by tf.data.make_one_shot_iterator, and may be another one each time"),
    (FEATURES + "'a*', 2, f, tf.TFRecordReader)\n", None),
    (FEATURES + "'a*', 2, f, tf.TFRecordReader, parse_fn=tf.decode_base64)\n",
     "its parse_fn computes each example before it is parsed: write that as Dataset.map"),
    (FEATURES + "'a*', 2, f, tf.TextLineReader)\n",
     "its reader is not tf.TFRecordReader: write it as a dataset of its files"),
    (FEATURES + "'a*', 2, features=f, reader=lambda: tf.TFRecordReader())\n",
     "tf.contrib.learn makes its queues inside: write it as a dataset of its files"),
    (EXAMPLES.format("return tf.to_float(tf.size(record))") + ", parse_fn=parse)\n", None),
    (EXAMPLES.format("return decode(record)") + ", parse_fn=parse)\n",
     "the source does not show what its parse_fn returns: write it as Dataset.map"),
    (EXAMPLES.format("return tf.get_variable('w', [])") + ", parse_fn=lambda r: tf.to_int32(parse(r)))\n",
     "PATH:3: tf.get_variable makes a variable for examples, which Dataset.map can't"),
    (EXAMPLES.format("return tf.identity(record)") + ", parse_fn=parse, read_batch_size=4)\n",
     "its parse_fn may get many records at a time (read_batch_size)"),
    (EXAMPLES.format("return record") + ", randomize_input=bool(b'1'))\n",
     "whether it shuffles (randomize_input) is known only when the script runs"),
    (EXAMPLES.format("return record").replace("TextLineReader", "WholeFileReader") + ")\n",
     "its reader is neither tf.TFRecordReader nor tf.TextLineReader: write it as a dataset of its files"),
], ids=["constant", "no num_epochs", "random", "variable", "placeholder", "iterator", "features", "parse_fn", "lines",
        "a function as reader", "examples", "unknown parse_fn", "parse_fn of a variable", "read_batch_size", "shuffle",
        "whole files"])
def test_pipeline_of_one_call_is_left(tmp_path, text, reason):
    path = tmp_path / "script.py"
    path.write_text("import tensorflow as tf\n" + text)
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project))
    reasons = [each.reason.replace(str(path), "PATH") for each in plan.left]
    assert reasons[:1] == ([] if reason is None else [reason])
    assert bool(plan.texts) == (reason is None)
