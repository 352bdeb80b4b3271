"""LT410: queue.dequeue_up_to."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT410",
    names=("tf.QueueBase.dequeue_up_to",),
    becomes="batch(n) and iterator.get_next()",
    explanation="""
It dequeues `n` elements, and fewer at the end of the input: `batch(n)` without `drop_remainder`.
""",
    limits="""
It stays for the reasons of `queue.dequeue_many` (LT409).
""",
    example=Example(
        before="""
batch = tf.train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue_up_to(3)
""",
        after="""
dataset = tf.data.Dataset.range(7).batch(3)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
