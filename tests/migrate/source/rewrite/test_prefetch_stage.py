"""Prefetch queues that are not rewritten, with the reason. Those that are have their pairs in pairs/."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

SIZE = "the size of its queue is read, and a dataset has none: remove the code that shows or awaits it"
SCRIPT = """\
import tensorflow as tf
from tensorflow.contrib.slim.python.slim.data.prefetch_queue import prefetch_queue

number = tf.train.range_input_producer(8).dequeue()
numbers = tf.train.batch([number], 4)
{}
"""


@pytest.mark.parametrize("queue, reason", [
    ("queue = prefetch_queue([numbers])\nprint(queue.dequeue(), numbers)",
     "'numbers' is queued, and is used after that too"),
    ("queue = prefetch_queue([numbers], shared_name='a')\nprint(queue.dequeue())",
     "its shared_name lets several processes read from one queue"),
    ("print(prefetch_queue([numbers]).dequeue())", "its result is used in an expression"),
    ("a, b = prefetch_queue([numbers]), prefetch_queue([numbers])\nprint(a.dequeue())",
     "its result is used in an expression"),
    ("queue = prefetch_queue([tf.constant(1)])\nprint(queue.dequeue())", "the source does not show its producers"),
    ("queue = prefetch_queue([numbers])\nprint(queue.dequeue(), queue.size())", SIZE),
], ids=["batch used", "shared name", "in an expression", "two queues", "no batch", "size"])
def test_prefetch_queue_is_left(tmp_path, queue, reason):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(queue))
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert all("prefetch_queue([" in each for each in plan.texts.values())
    assert reason in [each.reason for each in plan.left]
