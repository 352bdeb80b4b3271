"""LT413: tf.Session.run."""
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, Example, Rule, rule

rule(Rule(
    code="LT413",
    names=("tf.Session.run",),
    becomes="Dataset.from_generator over the values that are fed, if its thread is the only one that fills the queue",
    explanation="""
Python code, often in a thread, computes examples and puts them into a queue by `session.run(enqueue, feed_dict=...)`.
The loop that computes them becomes a generator: `Dataset.from_generator` runs it, and reads one element at a time.
""",
    limits="""
It is never rewritten in source code: what the thread computes may depend on what else the program does. Write it by
hand where the thread only reads files; the thread, the placeholders, the queue and the coordinator are then removed.
Where training itself fills the queue, keep it, or feed the batches.

`legacy-towers run --queues-to-dataset` and `lt.migrate.convert` keep the thread and its queue, and convert the
queues after it, such as that of `tf.train.batch`. The dataset dequeues from the queue, and ends when it is closed.
""",
    example=Example(
        before="""
import threading

value = tf.placeholder(tf.int32, [])
queue = tf.FIFOQueue(10, [tf.int32], [[]])
enqueue, close = queue.enqueue(value), queue.close()
batch = queue.dequeue_many(2)


def fill(session):
    for number in range(6):
        session.run(enqueue, feed_dict={value: number * 10})
    session.run(close)


with tf.Session() as session:
    thread = threading.Thread(target=fill, args=(session,))
    thread.start()
    for step in range(3):
        print(session.run(batch))
    thread.join()
""",
        after="""
def numbers():
    for number in range(6):
        yield number * 10


dataset = tf.data.Dataset.from_generator(numbers, tf.int32, []).batch(2, drop_remainder=True)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
with tf.Session() as session:
    for step in range(3):
        print(session.run(batch))
""",
        same=SAME_OUTPUT,
    ),
))
