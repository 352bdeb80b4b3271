"""LT513: tf.train.LooperThread."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT513",
    names=("tf.train.LooperThread", "tf.train.LooperThread.loop"),
    becomes="a dataset, where it fills a queue; else a thread of the program's own",
    explanation="""
A thread that calls a function again and again until its coordinator stops. Where the function fills a queue, it
becomes a generator (LT413).
""",
    limits="""
It is never rewritten. A thread that does not fill a queue needs no change.
""",
    example=Example(
        before="""
import numpy as np

value = tf.placeholder(tf.int32, [])
queue = tf.FIFOQueue(10, [tf.int32], [[]])
enqueue = queue.enqueue(value)
batch = queue.dequeue_many(2)
numbers = iter(range(4))
with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    for number in numbers:
        session.run(enqueue, feed_dict={value: number})
    thread = tf.train.LooperThread.loop(coordinator, 0.01, target=session.run, args=(queue.size(),))
    for step in range(2):
        print(session.run(batch))
    coordinator.request_stop()
    coordinator.join([thread])
""",
        after="""
dataset = tf.data.Dataset.from_generator(lambda: iter(range(4)), tf.int32, [])
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
with tf.Session() as session:
    for step in range(2):
        print(session.run(batch))
""",
        same=SAME_OUTPUT,
    ),
    needs_queues=True,
))
