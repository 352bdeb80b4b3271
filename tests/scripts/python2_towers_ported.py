"""python2_towers.py, manually ported to Python 3, with the batches of both towers as one batch."""
import os
import sys

import numpy as np
import tensorflow as tf

EXAMPLES = 64
BATCH = EXAMPLES // 4
TRAIN_DIR, MAX_STEPS = sys.argv[1], int(sys.argv[2])

rng = np.random.RandomState(0)
images = rng.rand(EXAMPLES, 6).astype(np.float32)
labels = rng.randint(3, size=EXAMPLES).astype(np.int32)
x = tf.placeholder(tf.float32, [BATCH, 6])
y = tf.placeholder(tf.int32, [BATCH])
with tf.variable_scope('net'):
    w1 = tf.get_variable('w1', [6, 10], initializer=tf.random_normal_initializer(stddev=0.3))
    b1 = tf.get_variable('b1', [10], initializer=tf.zeros_initializer())
    w2 = tf.get_variable('w2', [10, 3], initializer=tf.random_normal_initializer(stddev=0.3))
logits = tf.matmul(tf.tanh(tf.matmul(x, w1) + b1), w2)
# The mean of the towers' mean losses is the mean over both batches.
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    if tf.train.latest_checkpoint(TRAIN_DIR) is not None:
        saver.restore(sess, tf.train.latest_checkpoint(TRAIN_DIR))
    else:
        saver.save(sess, os.path.join(TRAIN_DIR, 'model.ckpt'), global_step=0)
    for step in range(MAX_STEPS):
        begin = step % 4 * BATCH
        _, value = sess.run([train, loss], {x: images[begin:begin + BATCH], y: labels[begin:begin + BATCH]})
        print("step %d, loss = %.8f" % (step, value))
