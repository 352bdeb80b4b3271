"""One queue, filled by different operations: real rows, rows mirrored, and noise rows."""
import os
import sys

import tensorflow as tf

FLAGS = None


def rows(path, epochs):
    q = tf.train.string_input_producer([path], num_epochs=epochs, shuffle=False)
    reader = tf.TextLineReader()
    _, line = reader.read(q)
    user, item, rating = tf.decode_csv(line, [[0], [0], [0.0]])
    return user, item, rating


class MixedQueue(object):
    def __init__(self, path, capacity=40):
        user, item, rating = rows(path, 2)
        user2, item2, rating2 = rows(path, 1)
        self.queue = tf.FIFOQueue(capacity, [tf.int32, tf.int32, tf.float32], [[], [], []], name='mixed')
        ops = [
            self.queue.enqueue((user, item, rating), name='plain'),
            self.queue.enqueue((item2, user2, rating2 * 0.5), name='swapped'),
        ]
        self.runner = tf.train.QueueRunner(self.queue, ops, self.queue.close(), self.queue.close(cancel_pending_enqueues=True))
        tf.train.add_queue_runner(self.runner)

    def batch(self, n):
        return self.queue.dequeue_up_to(n)


def main(data_dir):
    a, b, r = MixedQueue(os.path.join(data_dir, 'ratings.csv')).batch(5)
    table = tf.get_variable('table', [16], initializer=tf.zeros_initializer())
    guess = tf.gather(table, a) - tf.gather(table, b)
    loss = tf.reduce_sum(tf.square(guess - r))
    train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
    n = 0
    with tf.train.MonitoredTrainingSession() as sess:
        while not sess.should_stop():
            _, got = sess.run([train, r])
            n += got.size
    print(n)


if __name__ == '__main__':
    main(sys.argv[1])
