"""LT307: tf.contrib.training.bucket."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT307",
    names=("tf.contrib.training.bucket",),
    becomes="tf.data.experimental.group_by_window(bucket, lambda _, window: window.batch(batch_size), batch_size)",
    explanation="""
A queue for each bucket; a batch has examples of one bucket only. `group_by_window` collects by the value of a
function, here the number of the bucket as int64, and its second function batches what was collected: by
`padded_batch` for `dynamic_pad=True`.
""",
    limits="""
It stays where buckets have batches of several sizes, and where `dynamic_pad` is known only when the script runs. A
`filter` leaves out examples whose bucket is not below `num_buckets`, unless it is a remainder of a division by it.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
_, batch = tf.contrib.training.bucket([number], number % 2, 2, 2, allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.range(9).apply(
    tf.data.experimental.group_by_window(lambda number: number % 2, lambda _, window: window.batch(2), 2))
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
