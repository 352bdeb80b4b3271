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
for each bucket, one more than there are boundaries, and pads by itself. `keep_input` becomes `Dataset.filter`.

Its batches have no static size. Where those of the queues have one (a number as `batch_size`, and
`allow_smaller_final_batch=False`), the rewriting writes `group_by_window` with `padded_batch`, which keeps it.
""",
    limits="""
It stays where the length or `keep_input` depend on something else than the example. Batches of one bucket have the
order of before; which bucket comes next was a race of threads, and is the one that is full first.
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
