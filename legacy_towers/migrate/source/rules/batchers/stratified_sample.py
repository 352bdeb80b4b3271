"""LT310: tf.contrib.training.stratified_sample."""
from legacy_towers.migrate.source.rules.registry import Example, Rule, rule

rule(Rule(
    code="LT310",
    names=("tf.contrib.training.stratified_sample",),
    becomes="tf.data.experimental.rejection_resample(class_func, target_probs), then batch(batch_size)",
    explanation="""
It accepts examples of each class with such probabilities that batches have `target_probs` of each.
`rejection_resample` does the same; its elements are pairs of the class and the element.
""",
    limits="""
It stays where the probabilities are variables. What is accepted is random, so that the examples are not the same.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(100, shuffle=False).dequeue()
[data], labels = tf.contrib.training.stratified_sample(
    [number], number % 2, [0.25, 0.75], batch_size=4, init_probs=[0.5, 0.5])
batch = labels
""",
        after="""
dataset = tf.data.Dataset.range(100).repeat()
dataset = dataset.apply(tf.data.experimental.rejection_resample(
    lambda number: tf.cast(number % 2, tf.int32), [0.25, 0.75], [0.5, 0.5]))
batch = tf.data.make_one_shot_iterator(dataset.map(lambda label, number: label).batch(4)).get_next()
""",
        same="what is accepted is random",
    ),
))
