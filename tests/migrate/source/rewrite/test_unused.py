"""Readers that nothing reads with, and queues of file names that nothing reads."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

BATCH = """\
import tensorflow as tf

queue = tf.train.string_input_producer(["a", "b"], num_epochs=1, shuffle=False)
_, line = tf.TextLineReader().read(queue)
number = tf.string_to_number(line)
{}with tf.Session() as session:
    print(session.run([number]))
"""
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
def test_plan_rewrite_removes_readers_and_queues_that_nothing_uses(tmp_path, reader, is_left):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(reader))
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert bool(plan.left) == is_left
    assert list(plan.texts.values()) == ([] if is_left else [SCRIPT.replace("    {}\n", "")])


@pytest.mark.parametrize("batch, reason", [
    ("numbers = tf.train.batch([number], 2)\n", None),
    ("numbers, lines = tf.train.shuffle_batch([number, line], 2, 9, 4)\n", None),
    ("numbers = tf.train.batch([number], 2)\nprint(numbers)\n",
     "tf.ReaderBase.read: single examples are fetched beside the batch: a queue divides its examples between both"),
    ("numbers = tf.train.batch([number], 2)\nprint(tf.get_default_graph().get_tensor_by_name('batch:0'))\n",
     "tf.ReaderBase.read: single examples are fetched beside the batch: a queue divides its examples between both"),
], ids=["batch", "shuffled batch", "used", "used by its name"])
def test_plan_rewrite_removes_a_batch_that_nothing_uses_where_single_examples_are_fetched(tmp_path, batch, reason):
    path = tmp_path / "script.py"
    path.write_text(BATCH.format(batch))
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project))
    if reason is not None:
        assert [reason in str(each) for each in plan.left] == [True]
        return
    dataset = (
        'dataset = tf.data.Dataset.from_tensor_slices(["a", "b"])\n'
        "dataset = dataset.flat_map(tf.data.TextLineDataset)\n"
        "line = tf.data.make_one_shot_iterator(dataset).get_next()\n"
    )
    lines = BATCH.format("").splitlines(True)
    assert list(plan.texts.values()) == ["".join(lines[:2]) + dataset + "".join(lines[4:])]
