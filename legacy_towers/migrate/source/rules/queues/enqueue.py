"""LT406: queue.enqueue."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT406",
    names=("tf.QueueBase.enqueue",),
    becomes="nothing: the dataset has the elements that were enqueued",
    explanation="""
It puts one example into a queue. Where a queue runner runs it, this example is an element of the dataset, and the
operation is removed.
""",
    limits="""
It stays, and the queue with it, where the model runs it as a part of a step, or where `session.run` runs it (LT413),
unless that fills a queue of file names which is closed before a reader reads it.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
queue = tf.FIFOQueue(10, [tf.int32], [[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
batch = queue.dequeue_many(2)
""",
        after="""
dataset = tf.data.Dataset.range(6).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
