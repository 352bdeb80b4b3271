"""LT208: reader.read."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT208",
    names=("tf.ReaderBase.read",),
    becomes="the elements of the dataset: what follows it becomes map",
    explanation="""
It reads the next record, and dequeues the next file name when a file ends. In tf.data the record is the argument of
the function that is given to `map`; what the script computed from it, up to the batch, is this function.
""",
    limits="""
It stays where the record is used in several pipelines.

Keys that are used are made as the readers make them. That of `TFRecordReader` is "name:position", and
`tf.data.experimental.scan` adds up the bytes of the records before; those of `TextLineReader` and
`FixedLengthRecordReader` have a number, by `dataset.enumerate()`; that of `WholeFileReader` is the file's name. If you
only need to tell records apart, a number is simpler than a position.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(records, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(names)
features = {"id": tf.FixedLenFeature([], tf.int64)}
number = tf.parse_single_example(serialized, features)["id"]
batch = tf.train.batch([number * 2], batch_size=2)
""",
        after="""
def double(serialized):
    features = {"id": tf.FixedLenFeature([], tf.int64)}
    number = tf.parse_single_example(serialized, features)["id"]
    return number * 2


dataset = tf.data.Dataset.from_tensor_slices(records).flat_map(tf.data.TFRecordDataset)
dataset = dataset.map(double).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
