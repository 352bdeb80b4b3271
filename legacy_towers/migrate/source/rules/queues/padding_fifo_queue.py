"""LT403: tf.PaddingFIFOQueue."""
from legacy_towers.migrate.source.rules.registry import SAME_SEQUENCE, Example, Rule, rule

rule(Rule(
    code="LT403",
    names=("tf.PaddingFIFOQueue",),
    becomes="padded_batch(batch_size, padded_shapes), where the batch is taken from it",
    explanation="""
A FIFO queue of tensors of different sizes; `dequeue_many` pads them to the largest of the batch. In a dataset the
padding belongs to the batch: `padded_batch` with the same shapes, whose unknown sizes are None.
""",
    limits="""
It stays for the reasons of `tf.FIFOQueue` (LT401), and where the source does not show the list of its shapes. Most
queues of this kind are filled by `feed_dict` from a thread
(LT413), for speech and text.
""",
    example=Example(
        before="""
number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
queue = tf.PaddingFIFOQueue(10, [tf.int32], [[None]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.range(number))]))
batch = queue.dequeue_many(2)
""",
        after="""
dataset = tf.data.Dataset.range(6).map(lambda number: tf.range(number))
dataset = dataset.padded_batch(2, [None], drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
""",
        same=SAME_SEQUENCE,
    ),
))
