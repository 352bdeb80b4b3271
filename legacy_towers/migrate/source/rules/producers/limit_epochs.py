"""LT105: tf.train.limit_epochs."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT105",
    names=("tf.train.limit_epochs",),
    becomes="repeat(num_epochs) of the dataset of the same tensor",
    explanation="""
It counts in a local variable how often a tensor was produced, and ends the input after `num_epochs` times. A dataset
does so by `repeat`, without a variable to initialize.
""",
    limits="""
It is rewritten where the tensor is computed from constants: the dataset has this one element, `num_epochs` times. With
`enqueue_many=True` its rows are the examples. It stays where another operation computes the tensor, because it then
limits how often the program may run this operation, where it stands beside other producers, whose `num_epochs` does the
same, and where a queue of your own takes the tensor by `enqueue_many`.
""",
    example=Example(
        before="""
numbers = tf.train.limit_epochs(tf.constant([1, 2, 3]), num_epochs=2)
batch = tf.train.batch([numbers], batch_size=2, enqueue_many=True)
""",
        after="""
dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).repeat(2)
dataset = dataset.batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
