"""LT205: tf.IdentityReader."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT205",
    names=("tf.IdentityReader",),
    becomes="the dataset of the file names",
    explanation="""
It gives the names of the queue as they are, as key and as value. The dataset of the names does so without a reader.
""",
    limits="""
It stays where the reader's position is used (LT210).
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(["a", "b", "c"], num_epochs=1, shuffle=False)
key, value = tf.IdentityReader().read(names)
batch = tf.train.batch([key, value], batch_size=3)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices(["a", "b", "c"]).map(lambda name: (name, name))
dataset = dataset.batch(3, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
