"""Queues of a script's own that are not rewritten, with the reason. Those that are have their pairs in pairs/."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

SIZE = "the size of its queue is read, and a dataset has none: remove the code that shows or awaits it"
START = """\
import tensorflow as tf

number = tf.train.range_input_producer(8).dequeue()
queue = tf.FIFOQueue(4, [tf.int32], shapes=[[]])
"""
ENQUEUE = "tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))\n"


def rewritten(tmp_path, text):
    path = tmp_path / "script.py"
    path.write_text(text)
    project = read_project([str(path)])
    return plan_rewrite(project, find_pipelines(project))


@pytest.mark.parametrize("text, reason", [
    (ENQUEUE + "print(queue.dequeue(), queue.name)\n", "'queue' is used for something else too"),
    (ENQUEUE + "print(queue.dequeue(), number)\n", None),
    ("other = queue.enqueue(number)\n" + ENQUEUE + "print(queue.dequeue())\n",
     "its examples go through several enqueue operations"),
    ("enqueue = queue.enqueue(number)\nprint(queue.dequeue())\n", "no queue runner of the project runs it"),
    ("batch = queue.dequeue_many(2)\n" + ENQUEUE,
     "it dequeues before the operation that fills the queue is made"),
    (ENQUEUE + "print(queue.dequeue())\nprint(queue.size())\n", SIZE),
    ("n = 2\n" + ENQUEUE + "print(queue.dequeue_many(n), queue.dequeue_many(n))\n",
     "several calls dequeue from its queue, and the source does not show their batch size"),
    (ENQUEUE + "print(queue.dequeue_many(2), queue.dequeue_many(3))\n",
     "it dequeues other batches than the call before, from one queue"),
    (ENQUEUE.replace("number", "tf.constant(1)") + "print(queue.dequeue())\n", None),
    ("enqueue = queue.enqueue(number)\nprint(enqueue)\n"
     "tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))\nprint(queue.dequeue())\n",
     "'enqueue' is used for something else too"),
], ids=["queue used", "example used", "two enqueues", "no runner", "dequeue before", "size", "two sizes in names",
        "two sizes", "constant", "operation used"])
def test_own_queue_is_left(tmp_path, text, reason):
    plan = rewritten(tmp_path, START + text)
    assert all(text in each for each in plan.texts.values())
    assert plan.left
    assert reason is None or reason in [each.reason for each in plan.left]


BRANCHES = """import tensorflow as tf
train, size = True, 8
number = tf.train.range_input_producer(8).dequeue()
if train:
    number = number + 1
    queue = tf.RandomShuffleQueue(size, 2, [tf.int32], [[]])
    threads = 2
else:
    queue = tf.FIFOQueue(size, [tf.int32], [[]])
    threads = 1
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)] * threads))
batch = queue.dequeue_many(2)
"""


@pytest.mark.parametrize("old, new, reason", [
    ("", "", None),
    ("size, [tf.int32], [[]]", "size, [tf.int32], [[2]]", "its shapes are not those of the queue in the other branch"),
    ("    threads = 1", "    threads = 1\n    print(size)", "a branch that makes its queue does something else, too"),
    ("if train:", "if sum([size]):", "the condition of its queue changes, or calls a function"),
    ("    threads = 1", "    train = threads = 1", "'train' has a value before, which examples are computed from"),
    ("batch = queue", "size = 3\nbatch = queue", "what it is made with changes before it is filled"),
    ("dequeue_many(2)", "dequeue()", "its examples go through several queues, one by one"),
    ("else:\n    queue", "if not train:\n    queue", "its examples go through several queues"),
], ids=["rewritten", "shapes", "a call", "condition with a call", "condition changes", "capacity changes", "dequeue",
        "two ifs"])
def test_own_queue_in_branches_is_left(tmp_path, old, new, reason):
    plan = rewritten(tmp_path, BRANCHES.replace(old, new))
    assert [each.reason for each in plan.left] == ([] if reason is None else [reason])
    assert bool(plan.texts) == (reason is None)


def test_threads_and_close_of_an_own_queue_go(tmp_path):
    plan = rewritten(tmp_path, START + """\
enqueue = queue.enqueue(number)
runner = tf.train.QueueRunner(queue, [enqueue])
numbers = queue.dequeue_many(2)
sess = tf.Session()
coord = tf.train.Coordinator()
threads = runner.create_threads(sess, coord=coord, start=True)
tf.train.start_queue_runners(sess, coord)
print(sess.run(numbers))
coord.request_stop()
sess.run(queue.close())
coord.join(threads)
""")
    assert plan.left == []
    (text,) = plan.texts.values()
    assert text == """\
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(tf.range(8))
dataset = dataset.shuffle(8)
dataset = dataset.repeat()
dataset = dataset.map(lambda number: tf.ensure_shape(number, []))
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
numbers = tf.data.make_one_shot_iterator(dataset).get_next()
sess = tf.Session()
print(sess.run(numbers))
"""
