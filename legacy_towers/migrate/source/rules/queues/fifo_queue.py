"""LT401: tf.FIFOQueue."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT401",
    names=("tf.FIFOQueue",),
    becomes=(
        "prefetch(1) where it is dequeued in batches, prefetch(capacity) where its elements are dequeued one by one, "
        "nothing where records are read from it"
    ),
    explanation="""
It returns elements in the order in which they were enqueued. A queue that a queue runner fills is a buffer:
`prefetch`. Where `dequeue_many(n)` makes batches, `prefetch(1)` has the next batch ready while one is used;
`prefetch(capacity // n)` holds as many examples as the queue did (LT301 says when that helps). A queue of serialized
records needs no buffer of its own, since the batch after it has one. Several towers that dequeue from it read from one
iterator, and each `get_next()` returns the next batch.
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
dataset = tf.data.Dataset.range(6).batch(2, drop_remainder=True).prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
