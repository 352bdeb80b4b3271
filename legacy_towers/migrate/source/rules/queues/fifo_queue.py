"""LT401: tf.FIFOQueue."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT401",
    names=("tf.FIFOQueue",),
    becomes="prefetch(capacity) of the dataset that fills it",
    explanation="""
It returns elements in the order in which they were enqueued. A queue that a queue runner fills is a buffer:
`prefetch`. Several towers that dequeue from it read from one iterator, and each `get_next()` returns the next batch.
""",
    limits="""
It stays where Python code fills it by `session.run(enqueue, feed_dict=...)` (LT413), where operations of the model
enqueue what they computed, where it is shared between processes (`shared_name` on a server), or where it counts
tokens rather than examples, as queues of synchronization do.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
queue = tf.FIFOQueue(10, [tf.int32], [[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
batch = queue.dequeue_many(2)
""",
        after="""
dataset = tf.data.Dataset.range(6).batch(2, drop_remainder=True).prefetch(5)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
