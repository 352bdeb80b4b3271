"""Queues that a script closes itself."""
import textwrap

import pytest

QUEUE = """\
import tensorflow as tf

queue = tf.FIFOQueue(4, [tf.int32], shapes=[[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
sess = tf.Session()
"""


@pytest.mark.parametrize("close", [
    "sess.run(queue.close())",
    "sess.run(queue.close(cancel_pending_enqueues=True))",
    "queue.close().run()",
    "close = queue.close()\nsess.run(close)",
    "close = queue.close()\nclose.run()",
], ids=["run", "cancel", "op.run", "variable", "variable.run"])
def test_the_close_of_a_queue_goes(rewritten, close):
    text, left = rewritten(QUEUE + close + "\nprint(sess.run(queue.dequeue()))\n")
    assert (text, left) == (QUEUE + "print(sess.run(queue.dequeue()))\n", [])


def test_a_close_that_is_used_otherwise_is_named(rewritten):
    _, left = rewritten(QUEUE + textwrap.dedent("""\
        closes = [queue.close()]
        sess.run(closes)
        """))
    assert [(each.site.line, each.line, each.reason) for each in left] == [
        (6, 6, "the operation that closes the queue is not only run: closes = [queue.close()]")
    ]
