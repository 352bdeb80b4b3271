"""LT102: tf.train.slice_input_producer."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT102",
    names=("tf.train.slice_input_producer",),
    becomes=(
        "Dataset.from_tensor_slices((a, b, ...)), with shuffle(number of slices) unless shuffle=False, and "
        "repeat(num_epochs)"
    ),
    explanation="""
A queue of indices, and tensors that are sliced by them: often lists of image files and of labels. The tensors become
one `Dataset.from_tensor_slices` of a tuple, whose elements are the slices. What was computed from them
(`tf.read_file`, `tf.image.decode_jpeg`) becomes `map`.
""",
    limits="""
It stays where a tensor is fed, or where slices of it are used outside of the pipeline.
""",
    example=Example(
        before="""
name, label = tf.train.slice_input_producer([images, labels], num_epochs=2, shuffle=False)
image = tf.image.decode_png(tf.read_file(name), channels=3)
image.set_shape([2, 2, 3])
batch = tf.train.batch([image, label], batch_size=3)
""",
        after="""
def load(name, label):
    image = tf.image.decode_png(tf.read_file(name), channels=3)
    image.set_shape([2, 2, 3])
    return image, label


dataset = tf.data.Dataset.from_tensor_slices((images, labels)).repeat(2)
dataset = dataset.map(load).batch(3, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
