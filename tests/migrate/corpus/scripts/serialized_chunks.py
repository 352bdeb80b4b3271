"""Chunks of serialized records go through one queue, examples through another."""
import os
import sys

import tensorflow as tf


def record_queue(paths, chunk):
    filenames = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
    keys, values = tf.TFRecordReader().read_up_to(filenames, chunk)
    return tf.train.batch([keys, values], batch_size=1, enqueue_many=True, capacity=4 * chunk, name='records')


def example_queue(paths, batch_size):
    key, value = record_queue(paths, 3)
    parsed = tf.parse_example(value, {'image/height': tf.FixedLenFeature([], tf.int64),
                                      'image/class/label': tf.FixedLenFeature([], tf.int64),
                                      'image/filename': tf.FixedLenFeature([], tf.string)})
    return tf.train.batch([key, parsed['image/filename'], parsed['image/class/label']], batch_size,
                          enqueue_many=True, capacity=20, name='examples')


paths = [os.path.join(sys.argv[1], 'records', 'train-0000%d-of-00003' % i) for i in range(3)]
keys, filenames, labels = example_queue(paths, 4)
share = tf.get_variable('share', [4], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
    labels=labels, logits=tf.tile(share[None], [4, 1])))
step = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
with tf.Session() as sess:
    sess.run([v.initializer for v in tf.global_variables() + tf.local_variables()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    seen = []
    try:
        while not coord.should_stop():
            names, _ = sess.run([filenames, step])
            seen += [name.decode() for name in names]
    except tf.errors.OutOfRangeError:
        print(len(seen), seen[0], seen[-1])
    finally:
        coord.request_stop()
    coord.join(threads)
