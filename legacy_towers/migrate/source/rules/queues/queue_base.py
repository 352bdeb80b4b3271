"""LT405: tf.QueueBase."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT405",
    names=("tf.QueueBase", "tf.QueueBase.from_list"),
    becomes="tf.data.experimental.choose_from_datasets, for a queue that is chosen from a list",
    explanation="""
`tf.QueueBase.from_list(index, queues)` takes from the queue with a number, for instance to switch between training
and validation. With datasets, `choose_from_datasets` takes from those by a dataset of numbers; an iterator by
`tf.data.Iterator.from_string_handle` switches by a string that is fed.
""",
    limits="""
It is never rewritten: which queue is read is known when the program runs.
""",
    example=Example(
        before="""
queues = [tf.train.range_input_producer(4, num_epochs=1, shuffle=False),
          tf.train.range_input_producer(8, num_epochs=1, shuffle=False)]
queue = tf.QueueBase.from_list(tf.constant(1), queues)
batch = queue.dequeue_many(2)
""",
        after="""
datasets = [tf.data.Dataset.range(4), tf.data.Dataset.range(8)]
choices = tf.data.Dataset.from_tensors(tf.constant(1, tf.int64)).repeat(8)
dataset = tf.data.experimental.choose_from_datasets(datasets, choices).batch(2)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
