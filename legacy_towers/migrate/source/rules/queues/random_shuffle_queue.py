"""LT402: tf.RandomShuffleQueue."""
from legacy_towers.migrate.source.rules.registry import SAME_SET, Example, Rule, rule

rule(Rule(
    code="LT402",
    names=("tf.RandomShuffleQueue",),
    becomes="shuffle(capacity) of the dataset that fills it",
    explanation="""
It keeps at least `min_after_dequeue` examples and gives any of them. `shuffle(capacity)` chooses among as many as the
queue could hold.
""",
    limits="""
It stays for the reasons of `tf.FIFOQueue` (LT401). As the replay memory of reinforcement learning, which the program
fills while it trains, it is no input pipeline: keep the examples in numpy arrays and feed batches.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
queue = tf.RandomShuffleQueue(10, 2, [tf.int32], [[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
batch = queue.dequeue_many(2)
""",
        after="""
dataset = tf.data.Dataset.range(6).shuffle(10).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SET,
    ),
))
