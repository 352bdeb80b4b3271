"""LT302: tf.train.shuffle_batch."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT302",
    names=("tf.train.shuffle_batch",),
    becomes="shuffle(capacity), batch(batch_size, drop_remainder=True), then prefetch(1)",
    explanation="""
A shuffling queue, which keeps `min_after_dequeue` to `capacity` examples and gives any of them. `shuffle(capacity)`
chooses among as many. The examples of an epoch are the same, in another order, as they are in each run of the queue.
With a `seed` the order of the dataset is the same in each run, which no queue promises.

Memory: `shuffle` keeps `capacity` examples. Shuffle file names or serialized records, before decoding, where images
are large.
""",
    limits="""
It stays for the reasons of `tf.train.batch` (LT301).
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=1)
_, serialized = tf.TFRecordReader().read(names)
batch = tf.train.shuffle_batch([parse(serialized)], batch_size=2, capacity=10, min_after_dequeue=4,
                               allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(records).shuffle(len(records))
dataset = dataset.flat_map(tf.data.TFRecordDataset).shuffle(10)
dataset = dataset.map(parse).batch(2).prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
