"""LT501: tf.train.QueueRunner."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT501",
    names=("tf.train.QueueRunner",),
    becomes="nothing: the dataset that replaces the queue needs no threads of Python",
    explanation="""
It runs the operations that fill a queue, each in a thread, until the input ends. The dataset that replaces the queue
computes its elements when they are asked for, and ahead of that in `prefetch` and `map`, in threads of TensorFlow.
""",
    limits="""
It stays with its queue (LT401).
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
queue = tf.FIFOQueue(10, [tf.int32], [[]])
runner = tf.train.QueueRunner(queue, [queue.enqueue(number)] * 2)
tf.train.add_queue_runner(runner)
batch = queue.dequeue_many(2)
""",
        after="""
dataset = tf.data.Dataset.range(6).batch(2, drop_remainder=True).prefetch(5)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
