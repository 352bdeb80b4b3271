"""Features saved by numpy, whose names go through an IdentityReader and are loaded in Python."""
import glob
import os
import sys

import numpy as np
import tensorflow as tf


def load(path):
    array = np.load(path.decode('utf-8')).astype(np.float32)
    return array, np.int32(os.path.basename(path.decode('utf-8')).split('.')[0])


files = sorted(glob.glob(os.path.join(sys.argv[1], 'features', '*.npy')))
names = tf.train.string_input_producer(files, shuffle=False, num_epochs=2)
name, _ = tf.IdentityReader().read(names)
array, number = tf.py_func(load, [name], [tf.float32, tf.int32])
array.set_shape([6, 4])
number.set_shape([])
arrays, numbers = tf.train.batch([array, number], 2, capacity=8)

mean = tf.get_variable('mean', [4], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(arrays - mean))
train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    order = []
    try:
        while True:
            got, _ = sess.run([numbers, train_op])
            order.extend(got.tolist())
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
        coord.join(threads)
print(order)
