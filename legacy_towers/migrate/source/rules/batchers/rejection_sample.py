"""LT311: tf.contrib.training.rejection_sample."""
from legacy_towers.migrate.source.rules.registry import Example, Rule, rule

rule(Rule(
    code="LT311",
    names=("tf.contrib.training.rejection_sample",),
    becomes="filter(lambda x: tf.random.uniform([]) < accept_prob(x)), then batch(batch_size)",
    explanation="""
It accepts an example with the probability that a function gives. In a dataset `filter` draws the random number.
""",
    limits="""
It stays where the function uses variables. What is accepted is random, so that the examples are not the same.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(100, shuffle=False).dequeue()
[batch] = tf.contrib.training.rejection_sample(
    [number], lambda values: tf.where(values[0] < 50, 0.0, 1.0), batch_size=4)
""",
        after="""
def is_accepted(number):
    return tf.random_uniform([]) < tf.where(number < 50, 0.0, 1.0)


dataset = tf.data.Dataset.range(100).repeat().filter(is_accepted).batch(4)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same="what is accepted is random",
    ),
))
