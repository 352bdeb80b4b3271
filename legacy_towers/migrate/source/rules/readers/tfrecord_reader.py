"""LT201: tf.TFRecordReader."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT201",
    names=("tf.TFRecordReader",),
    becomes="flat_map(tf.data.TFRecordDataset), or interleave for several readers",
    explanation="""
It reads the records of the files whose names a queue gives. Each name becomes a `TFRecordDataset`, and `flat_map`
puts them one after the other, as one reader does. The options of compression are `compression_type="GZIP"` or
`"ZLIB"`.

Several readers of one queue of names, in `batch_join` or by `num_threads`, become `interleave` with
`cycle_length=READERS`.
""",
    limits="""
It stays where the reader's position is used (LT210), or where one reader reads the files of several queues: how it
divides them is not determined.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(names)
batch = tf.train.batch([parse(serialized)], batch_size=3, allow_smaller_final_batch=True)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(records).flat_map(tf.data.TFRecordDataset)
dataset = dataset.map(parse).batch(3)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
