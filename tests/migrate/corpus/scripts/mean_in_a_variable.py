"""The mean of the training images is in a variable, which the script fills before the queues start."""
import os
import sys

import numpy as np
import tensorflow as tf

data = np.load(os.path.join(sys.argv[1], 'arrays.npz'))
mean_image = data['images'].mean(0)


def preprocess(record, mean):
    image = tf.reshape(tf.cast(tf.decode_raw(record['image_raw'], tf.uint8), tf.float32) / 255., [4, 4, 1])
    return image - mean, tf.to_int32(record['label'])


with tf.variable_scope('statistics'):
    mean_value = tf.placeholder(tf.float32, [4, 4, 1])
    mean = tf.Variable(mean_value, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='mean')

with tf.variable_scope('reader'):
    queue = tf.train.string_input_producer([os.path.join(sys.argv[1], 'labelled.tfrecord')], shuffle=False)
    _, s = tf.TFRecordReader().read(queue)
    record = tf.parse_single_example(s, {'image_raw': tf.FixedLenFeature([], tf.string),
                                         'label': tf.FixedLenFeature([], tf.int64)})
    x, y = tf.train.batch(list(preprocess(record, mean)), 3, capacity=12)

w = tf.get_variable('w', [16, 2], initializer=tf.zeros_initializer())
loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(tf.reshape(x, [-1, 16]), w))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(mean.initializer, feed_dict={mean_value: mean_image})
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for i in range(4):
        _, value, centre = sess.run([train, loss, x])
        print('%d %.3f %.4f' % (i, value, np.abs(centre).mean()))
    coord.request_stop()
    coord.join(threads)
