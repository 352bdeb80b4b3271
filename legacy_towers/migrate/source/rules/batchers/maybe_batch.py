"""LT305: tf.train.maybe_batch."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT305",
    names=("tf.train.maybe_batch", "tf.train.maybe_batch_join"),
    becomes="filter(keep), then batch(batch_size, drop_remainder=True)",
    explanation="""
Only examples for which `keep_input` is true come into the queue. In a dataset `filter` decides by a function of the
example; with `enqueue_many=True` and a vector `keep_input` the examples of each element come one by one first.
""",
    limits="""
It stays where `keep_input` depends on something else than the example, such as the global step, with
`enqueue_many=True`, and where `maybe_batch_join` joins examples of several readers.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.maybe_batch([number], tf.equal(number % 3, 0), batch_size=2, allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.range(9).filter(lambda number: tf.equal(number % 3, 0)).batch(2)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
