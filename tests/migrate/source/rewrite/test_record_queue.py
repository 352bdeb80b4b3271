"""Queues of records that are left, with the reason."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

START = """import tensorflow as tf
train, size = True, 10
names = tf.train.string_input_producer(["a", "b"])
reader = tf.TFRecordReader()
"""
QUEUE = "records = tf.FIFOQueue(size, [tf.string])\n"
QUEUES = """if train:
    records = tf.RandomShuffleQueue(size, 5, [tf.string])
else:
    records = tf.FIFOQueue(size, [tf.string])
"""
FILL = """key, value = reader.read(names)
tf.train.add_queue_runner(tf.train.QueueRunner(records, [records.enqueue([value])] * 2))
"""
TAKE = "batch = tf.train.batch([records.dequeue() + ''], 2)\n"
BATCH = "record = records.dequeue()\nbatch = tf.train.batch([record], 2)\n"


@pytest.mark.parametrize("text, reason", [
    (QUEUE + FILL + BATCH, None),
    (QUEUES + FILL + BATCH, None),
    (QUEUE + FILL + TAKE, "its result is used in an expression"),
    (QUEUE + "size = 3\n" + FILL + BATCH, "what it is made with changes before it is filled"),
    (QUEUES + "train = False\n" + FILL + BATCH, "what it is made with changes before it is filled"),
    (QUEUE + FILL + BATCH + "print(key)\n", "its key is used, and a queue of records holds no keys"),
    (QUEUE + FILL + BATCH + "print(value)\n", "'value' is queued, and is used after that too"),
    (QUEUE + FILL + BATCH + "print(records.name)\n", "'records' is used for something else too"),
    (QUEUE + FILL + BATCH + "print(names.name)\n", "its queue is also used in another way"),
    (QUEUE.replace("size,", "size, shared_name='a', dtypes=") + FILL + BATCH,
     "its shared_name lets several processes read from one queue"),
    (QUEUE + FILL + "one, other = records.dequeue(), records.dequeue()\nbatch = tf.train.batch([one, other], 2)\n",
     "its queue of records has several runners, or is read by several calls"),
    (QUEUE + "for number in range(2):\n    _, value = reader.read(names)\n    print(number)\n"
     "    tf.train.add_queue_runner(tf.train.QueueRunner(records, [records.enqueue([value])]))\n" + BATCH,
     "the loop that reads is not one over range(number), or uses the number"),
], ids=["one queue", "queues in branches", "dequeue in an expression", "capacity changes", "condition changes", "key",
        "value used", "queue used", "names used", "shared_name", "two dequeues", "number of the loop"])
def test_queue_of_records_is_left(tmp_path, text, reason):
    path = tmp_path / "script.py"
    path.write_text(START + text)
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert [each.reason for each in plan.left] == ([] if reason is None else [reason])
    assert bool(plan.texts) == (reason is None)
