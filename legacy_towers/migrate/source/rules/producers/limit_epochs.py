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
It is rewritten where the program reads the tensor itself, as the input of `KMeansClustering`: the dataset has this one
element, `num_epochs` times. It stays where the tensor flows into a queue, or is not computed from constants alone: it
then limits how often the program may compute something.
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
