"""LT103: tf.train.range_input_producer."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT103",
    names=("tf.train.range_input_producer",),
    becomes=(
        "Dataset.from_tensor_slices(tf.range(limit)), with shuffle(limit) unless shuffle=False, and repeat(num_epochs)"
    ),
    explanation="""
A queue of the numbers from 0 to `limit` - 1, mostly used as indices. The slices of `tf.range(limit)` are the same
numbers with the same dtype, int32; those of `Dataset.range(limit)` are int64.
""",
    limits="""
It stays where the numbers index something that changes while the program runs, as a variable or an array that is fed.
""",
    example=Example(
        before="""
index = tf.train.range_input_producer(5, num_epochs=2, shuffle=False).dequeue()
batch = tf.train.batch([index * 10], batch_size=2)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(tf.range(5)).repeat(2).map(lambda index: index * 10)
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
