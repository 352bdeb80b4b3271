"""LT409: queue.dequeue_many."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT409",
    names=("tf.QueueBase.dequeue_many",),
    becomes="batch(n, drop_remainder=True) and iterator.get_next()",
    explanation="""
It dequeues `n` elements as one batch, and fails at the end of the input where fewer are left: `drop_remainder=True`.
""",
    limits="""
It stays where `n` is a tensor that is fed, or another one in each dequeue of the queue. To feed the batch size, pass a
placeholder to `Dataset.batch`, and feed it when the iterator is initialized.
""",
    example=Example(
        before="""
batch = tf.train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue_many(3)
""",
        after="""
dataset = tf.data.Dataset.range(7).batch(3, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
