"""LT306: tf.train.maybe_shuffle_batch."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT306",
    names=("tf.train.maybe_shuffle_batch", "tf.train.maybe_shuffle_batch_join"),
    becomes="filter(keep), shuffle(capacity), batch(batch_size, drop_remainder=True)",
    explanation="""
`tf.train.maybe_batch` (LT305) with a shuffling queue (LT302).
""",
    limits="""
It stays where `keep_input` depends on something else than the example, such as the global step, with
`enqueue_many=True`, and where `maybe_shuffle_batch_join` joins examples of several readers.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.maybe_shuffle_batch([number], 2, 10, 1, tf.equal(number % 3, 0),
                                     allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.range(9).filter(lambda number: tf.equal(number % 3, 0))
dataset = dataset.shuffle(10).batch(2)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
