import numpy as np
import tensorflow as tf

data = np.arange(40, dtype=np.float32).reshape(20, 2)
target = np.arange(20) % 3


def next_batch(x, y, batch_size):
    x_, y_ = tf.train.slice_input_producer([x, y], shuffle=False)
    return tf.train.batch([x_, y_], batch_size=batch_size, num_threads=1, capacity=batch_size * 4)


x, y = next_batch(tf.constant(data), tf.constant(target), 6)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for step in range(7):
        print(sess.run([x, y]))
    coord.request_stop()
    coord.join(threads)
