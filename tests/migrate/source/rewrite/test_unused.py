"""Readers that nothing reads with, and queues of file names that nothing reads."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

SCRIPT = """\
import tensorflow as tf


def inputs(names):
    {}
    return tf.constant(names)


print(inputs(["a"]))
"""


@pytest.mark.parametrize("reader, is_left", [
    ("reader = tf.TFRecordReader()", False),
    ("reader = tf.TextLineReader(skip_header_lines=1)", False),
    ("reader = tf.TFRecordReader()\n    print(reader)", True),
    ("inputs.reader = tf.TFRecordReader()", True),
    ("print(tf.TFRecordReader())", True),
    ("queue = tf.train.string_input_producer(names, num_epochs=1)", False),
    ("queue = tf.train.string_input_producer(tf.train.match_filenames_once('*.txt'))", False),
    ("tf.train.string_input_producer(['%d.txt' % i for i in range(3)])", False),
    ("queue = tf.train.string_input_producer(download(names))", True),
    ("queue = tf.train.string_input_producer(names)\n    inputs.queue = queue", True),
], ids=["not used", "with arguments", "used", "kept in an object", "in an expression", "queue",
        "queue of matched names", "queue without a name", "queue of names that a call makes",
        "queue that is kept in an object"])
def test_a_reader_or_queue_that_is_not_used_goes(tmp_path, reader, is_left):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(reader))
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert bool(plan.left) == is_left
    assert list(plan.texts.values()) == ([] if is_left else [SCRIPT.replace("    {}\n", "")])
