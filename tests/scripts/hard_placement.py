"""A script for two GPUs without allow_soft_placement; variables are on the GPUs, too."""
import os
import sys

import numpy as np
import tensorflow as tf

model_dir, steps = sys.argv[1], int(sys.argv[2])
rng = np.random.RandomState(17)
c = []
x = tf.placeholder(tf.float32, [None, 5])
y = tf.placeholder(tf.float32, [None])
for d in ['/gpu:0', '/device:GPU:1']:
    with tf.device(d):
        with tf.variable_scope('line', reuse=len(c) > 0):
            w = tf.get_variable('w', [5, 1], initializer=tf.truncated_normal_initializer(stddev=0.1))
            b = tf.get_variable('b', [1], initializer=tf.constant_initializer(0.1))
            count = tf.get_variable('count', [], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
        half = tf.shape(x)[0] // 2
        part = slice(0, half) if not c else slice(half, None)
        guess = tf.squeeze(tf.matmul(x[part], w) + b, 1)
        with tf.control_dependencies([tf.assign_add(count, tf.size(guess))]):
            c.append(tf.reduce_mean(tf.square(guess - y[part])))
with tf.device('/gpu:0'):
    loss = tf.add_n(c) / 2
    train_step = tf.train.AdagradDAOptimizer(0.5, tf.Variable(0, dtype=tf.int64, trainable=False, name='da_step'),
                                             initial_gradient_squared_accumulator_value=0.5).minimize(loss)

saver = tf.train.Saver()
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
if tf.train.latest_checkpoint(model_dir):
    saver.restore(sess, tf.train.latest_checkpoint(model_dir))
else:
    saver.save(sess, os.path.join(model_dir, 'model.ckpt'), global_step=0)
for i in range(steps):
    batch = rng.rand(12, 5)
    value, _ = sess.run((loss, train_step), feed_dict={x: batch, y: batch.sum(1)})
    print('step %d: loss = %.8f' % (i, value))
assert count.eval() == steps * 12
