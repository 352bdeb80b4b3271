"""LT209: reader.read_up_to."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT209",
    names=("tf.ReaderBase.read_up_to", "tf.contrib.slim.ParallelReader.read_up_to"),
    becomes=(
        "batch(num_records) of each file's records: flat_map(lambda name: "
        "TFRecordDataset(name).batch(num_records))"
    ),
    explanation="""
It takes up to N records of one file at a time: fewer at its end. Inside `flat_map`, `batch(N)` does the same, and
`tf.parse_example` parses N at once. `unbatch` gives single examples again where `enqueue_many=True` follows.
""",
    limits="""
It stays where the keys are used.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read_up_to(names, 4)
batch = tf.train.batch([parse_many(serialized)], batch_size=3, enqueue_many=True)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(records)
dataset = dataset.flat_map(lambda name: tf.data.TFRecordDataset(name).batch(4)).map(parse_many)
dataset = dataset.flat_map(tf.data.Dataset.from_tensor_slices).batch(3, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
