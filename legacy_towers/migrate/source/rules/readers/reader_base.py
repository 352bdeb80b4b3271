"""LT207: tf.ReaderBase."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT207",
    names=("tf.ReaderBase",),
    becomes="a Dataset made of the same file, by flat_map",
    explanation="""
A reader of the script's own: a class derived from `tf.ReaderBase`, around an operation that the script loads.
""",
    limits="""
It is never rewritten: what its operation reads is not known. Write the dataset by hand: `Dataset.from_generator`
where Python can read the format, or `map` of operations over `tf.io.read_file`, as here for files whose first byte
counts.
""",
    example=Example(
        before="""
names = tf.train.string_input_producer(binaries, num_epochs=1, shuffle=False)
_, content = tf.WholeFileReader().read(names)
batch = tf.train.batch([tf.decode_raw(content, tf.uint8)[0]], batch_size=2)
""",
        after="""
def first_byte(name):
    return tf.decode_raw(tf.read_file(name), tf.uint8)[0]


dataset = tf.data.Dataset.from_tensor_slices(binaries).map(first_byte)
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
