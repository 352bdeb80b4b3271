"""LT411: queue.size."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT411",
    names=("tf.QueueBase.size", "tf.QueueBase.is_closed"),
    becomes="nothing: a dataset has no number of waiting elements",
    explanation="""
The number of elements that wait in a queue, mostly for a summary of how full it is. A dataset has none. Whether the
input keeps up with training is what `legacy-towers bottleneck` measures.
""",
    limits="""
It stays where the program uses it for more than a summary. A summary of it is removed.
""",
    example=Example(
        before="""
queue = tf.train.range_input_producer(6, num_epochs=1, shuffle=False)
tf.summary.scalar("waiting", queue.size())
batch = queue.dequeue_many(2)
""",
        after="""
dataset = tf.data.Dataset.range(6).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
