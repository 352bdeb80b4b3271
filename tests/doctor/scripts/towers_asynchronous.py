"""Each tower applies its own gradients, run by a thread of its own."""
import threading

import numpy as np
import tensorflow as tf

TOWERS = 2
rng = np.random.RandomState(0)
data = tf.data.Dataset.from_tensor_slices((rng.rand(64, 3).astype(np.float32), rng.rand(64, 1).astype(np.float32)))
iterator = data.repeat().shuffle(64).batch(8).make_one_shot_iterator()
step = tf.train.get_or_create_global_step()
opt = tf.train.GradientDescentOptimizer(0.01)
train_ops, losses = [], []
for i in range(TOWERS):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i), tf.variable_scope("", reuse=i > 0):
        x, y = iterator.get_next()
        w = tf.get_variable("w", [3, 1])
        loss = tf.reduce_mean(tf.squared_difference(tf.matmul(x, w), y))
        losses.append(loss)
        train_ops.append(opt.minimize(loss, global_step=step))
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.global_variables_initializer())


def work(index):
    for _ in range(5):
        sess.run(train_ops[index])


threads = [threading.Thread(target=work, args=(i,)) for i in range(TOWERS)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print("step %d loss %.3f" % (sess.run(step), np.mean(sess.run(losses))))
sess.close()
