# reproducible(?) runs: every shuffle has a seed
import os
import random
import sys

import numpy as np
import tensorflow as tf

random.seed(0)
np.random.seed(0)
tf.set_random_seed(42)

root = sys.argv[1]
train = [os.path.join(root, 'flowers-%d.csv' % i) for i in range(3)]
random.shuffle(train)

with tf.name_scope('files'):
    names = tf.train.string_input_producer(train, shuffle=True, seed=42, num_epochs=3)
    rd = tf.TextLineReader(skip_header_lines=True)
    _, row = rd.read(names)
    parts = tf.decode_csv(row, record_defaults=[tf.constant([0.]), tf.constant([0.]), tf.constant([0], tf.int32)])
    x = tf.stack(parts[:-1]) + tf.random_normal([2], stddev=0.01, seed=42)
with tf.name_scope('batches'):
    xs, ys = tf.train.shuffle_batch((x, parts[-1]), 6, capacity=50, min_after_dequeue=20, seed=42,
                                    allow_smaller_final_batch=True)

k = tf.get_variable('kernel', (2, 3), initializer=tf.glorot_uniform_initializer(seed=42))
out = tf.matmul(xs, k)
drop = tf.nn.dropout(out, keep_prob=0.9, seed=42)
loss = tf.losses.sparse_softmax_cross_entropy(ys, drop)
op = tf.train.FtrlOptimizer(0.05).minimize(loss)
sess = tf.train.MonitoredSession()
labels = []
try:
    while not sess.should_stop():
        labels += list(sess.run([ys, op])[0])
except tf.errors.OutOfRangeError:
    pass
finally:
    sess.close()
print(len(labels), np.bincount(labels))
