"""LT308: tf.contrib.training.bucket_by_sequence_length."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT308",
    names=("tf.contrib.training.bucket_by_sequence_length",),
    becomes=(
        "tf.data.experimental.bucket_by_sequence_length(length, bucket_boundaries, [batch_size] * number of "
        "buckets)"
    ),
    explanation="""
Batches of sequences of similar length, padded to the longest of the batch. The function of tf.data takes a batch size
for each bucket, one more than there are boundaries, and pads by itself.
""",
    limits="""
It stays where the length is computed outside of the example. The order of the batches is another one: the queues gave
those that were full first.
""",
    example=Example(
        before="""
length = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
_, [batch] = tf.contrib.training.bucket_by_sequence_length(
    length + 1, [tf.range(length + 1)], batch_size=2, bucket_boundaries=[5], dynamic_pad=True)
""",
        after="""
dataset = tf.data.Dataset.range(8).map(lambda length: tf.range(length + 1))
dataset = dataset.apply(tf.data.experimental.bucket_by_sequence_length(tf.size, [5], [2, 2]))
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
