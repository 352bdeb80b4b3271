"""LT104: tf.train.input_producer."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT104",
    names=("tf.train.input_producer",),
    becomes="Dataset.from_tensor_slices(input_tensor), with shuffle unless shuffle=False, and repeat(num_epochs)",
    explanation="""
A queue of the rows of a tensor. They become a dataset of slices; `seed` and `num_epochs` are arguments of `shuffle`
and `repeat`.
""",
    limits="""
It stays where `input_tensor` is fed or is a variable that changes: a dataset takes its value when the iterator is
initialized.
""",
    example=Example(
        before="""
row = tf.train.input_producer([[1, 2], [3, 4], [5, 6]], num_epochs=2, shuffle=False).dequeue()
batch = tf.train.batch([row], batch_size=2)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]]).repeat(2)
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
