"""A queue that Python code fills by feed_dict."""
from legacy_towers.compat import tf


class Filled:
    """A queue `q` of numbers that Python code fills; `enqueue` puts one in, `many` several, as `number`s."""

    def __init__(self, make=tf.FIFOQueue, capacity=10, shape=(), **options):
        self.queue = make(capacity, dtypes=[tf.int32], shapes=[shape], name="q", **options)
        self.number = tf.placeholder(tf.int32, shape)
        self.numbers = tf.placeholder(tf.int32, [None] + list(shape))
        self.enqueue = self.queue.enqueue([self.number + 100], name="fill")
        self.many = self.queue.enqueue_many([self.numbers + 100])
        self.close = self.queue.close()
        self.cancel = self.queue.close(cancel_pending_enqueues=True)

    def put(self, session, numbers):
        for number in numbers:
            session.run(self.enqueue, {self.number: number})

    def put_all(self, session, numbers):
        session.run(self.many, {self.numbers: numbers})
