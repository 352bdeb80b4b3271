"""LT412: queue.close."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT412",
    names=("tf.QueueBase.close",),
    becomes="nothing: a dataset ends where its elements end",
    explanation="""
It ends dequeues with an `OutOfRangeError` when the queue is empty. A dataset ends by itself, with the same error.
""",
    limits="""
It stays where the program runs it to end the input early: end the training loop instead, or use `Dataset.take`.
""",
    example=Example(
        before="""
queue = tf.FIFOQueue(10, [tf.int32], [[]])
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)], close_op=queue.close()))
batch = queue.dequeue_many(2)
""",
        after="""
dataset = tf.data.Dataset.range(6).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
