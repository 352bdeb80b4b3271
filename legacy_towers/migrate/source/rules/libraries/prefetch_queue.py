"""LT601: tf.contrib.slim.prefetch_queue."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT601",
    names=("tf.contrib.slim.prefetch_queue",),
    becomes="prefetch(capacity) of the batches",
    explanation="""
A queue of whole batches after `tf.train.batch`, so that the next ones are ready. `prefetch` is the same. The
`dequeue()` of each tower is `get_next()` of one iterator.
""",
    limits="""
It stays where the queue of its batches stays. `dynamic_pad=True` has no effect on batches of one shape.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
numbers = tf.train.batch([number], batch_size=2)
queue = tf.contrib.slim.prefetch_queue.prefetch_queue([numbers], capacity=3)
batch = queue.dequeue()
""",
        after="""
dataset = tf.data.Dataset.range(5).batch(2, drop_remainder=True).prefetch(3)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
