"""A RandomShuffleQueue that a Python thread fills by feed_dict; the queue is closed at the end."""
import threading

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
fed = tf.placeholder(tf.float32, [None, 3])
queue = tf.RandomShuffleQueue(capacity=200, min_after_dequeue=60, dtypes=[tf.float32], shapes=[[3]])
enqueue = queue.enqueue_many([fed])
close = queue.close(cancel_pending_enqueues=True)
batch = queue.dequeue_many(8)
loss = tf.reduce_mean(tf.square(tf.layers.dense(batch, 1) - tf.reduce_sum(batch, 1, keep_dims=True)))
train_op = tf.train.AdamOptimizer(0.05).minimize(loss)


def fill(sess, coord):
    with coord.stop_on_exception():
        while not coord.should_stop():
            try:
                sess.run(enqueue, {fed: rng.rand(20, 3)})
            except tf.errors.CancelledError:
                return


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    thread = threading.Thread(target=fill, args=(sess, coord))
    thread.start()
    for _ in range(20):
        _, value = sess.run([train_op, loss])
    coord.request_stop()
    sess.run(close)
    coord.join([thread])
print("loss %.3f" % value)
