"""LT206: tf.LMDBReader."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT206",
    names=("tf.LMDBReader",),
    becomes="Dataset.from_generator over the lmdb package, or TFRecord files that are written once",
    explanation="""
It reads the keys and values of an LMDB database. tf.data has no public dataset of LMDB in TensorFlow 2, and builds of
TensorFlow 2 may have no LMDB at all.
""",
    limits="""
It is never rewritten. Either read the database with the package `lmdb` in a Python generator, and call
`Dataset.from_generator`; or write its values to TFRecord files once, which reads faster than a generator. The example
reads a list in the place of the database.
""",
    example=Example(
        before="""
def values():
    return [b"1", b"2", b"3"]


names = tf.train.input_producer(tf.constant(values()), num_epochs=1, shuffle=False)
batch = names.dequeue_many(3)
""",
        after="""
def values():
    # with lmdb.open(path, readonly=True).begin() as transaction: yield the values of transaction.cursor()
    return [b"1", b"2", b"3"]


dataset = tf.data.Dataset.from_generator(values, tf.string, [])
dataset = dataset.batch(3, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
