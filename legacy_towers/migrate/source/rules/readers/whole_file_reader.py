"""LT204: tf.WholeFileReader."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT204",
    names=("tf.WholeFileReader",),
    becomes="map(tf.io.read_file)",
    explanation="""
It gives the name and the content of each file. In a dataset the name is the element, and `tf.io.read_file` gives the
content: both are there, as key and value were. `num_parallel_calls` decodes several files at a time and keeps their
order.
""",
    limits="""
It stays where the reader's position is used (LT210). Its key is the name of the file, so that it can be rewritten.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(images, num_epochs=1, shuffle=False)
_, content = tf.WholeFileReader().read(names)
image = tf.image.decode_png(content, channels=3)
image.set_shape([2, 2, 3])
batch = tf.train.batch([image], batch_size=2)
""",
        after="""
def load(name):
    image = tf.image.decode_png(tf.read_file(name), channels=3)
    image.set_shape([2, 2, 3])
    return image


dataset = tf.data.Dataset.from_tensor_slices(images).map(load, num_parallel_calls=4)
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
