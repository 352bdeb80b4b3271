"""LT407: queue.enqueue_many."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT407",
    names=("tf.QueueBase.enqueue_many",),
    becomes="flat_map(Dataset.from_tensor_slices): the examples of each element one by one",
    explanation="""
It puts the rows of a tensor into a queue, each as an example. In a dataset `flat_map` gives the slices of each
element.
""",
    limits="""
It stays for the reasons of `queue.enqueue` (LT406).
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
queue = tf.FIFOQueue(10, [tf.int32], [[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue_many([[number, number * 10]])]))
batch = queue.dequeue_many(3)
""",
        after="""
dataset = tf.data.Dataset.range(3).map(lambda number: tf.stack([number, number * 10]))
dataset = dataset.flat_map(tf.data.Dataset.from_tensor_slices).batch(3, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
