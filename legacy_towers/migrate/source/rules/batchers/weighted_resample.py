"""LT312: tf.contrib.training.weighted_resample."""
from legacy_towers.migrate.source.rules.registry import Example, Rule, rule

rule(Rule(
    code="LT312",
    names=("tf.contrib.training.weighted_resample", "tf.contrib.training.resample_at_rate"),
    becomes="flat_map(lambda x: Dataset.from_tensors(x).repeat(drawn times)): written by hand",
    explanation="""
It repeats or drops examples so that each comes as often as its weight says, relative to a running mean of the
weights. In a dataset, an element is repeated as often as a random number says: the whole part of the rate, and one
more with the probability of the rest.
""",
    limits="""
It is never rewritten: `weighted_resample` keeps the mean of the weights in a variable. What is drawn is random, so
that the examples are not the same.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(20, shuffle=False).dequeue_many(5)
[batch], rate = tf.contrib.training.weighted_resample([number], tf.ones([5]), overall_rate=1.0)
""",
        after="""
def repeated(number, rate=1.0):
    times = tf.cast(rate + tf.random_uniform([]), tf.int64)
    return tf.data.Dataset.from_tensors(number).repeat(times)


dataset = tf.data.Dataset.range(20).repeat().flat_map(repeated).batch(5)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same="what is drawn is random",
    ),
))
