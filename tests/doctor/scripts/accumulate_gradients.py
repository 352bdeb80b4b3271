"""Gradient accumulation by hand: zero_ops, accum_ops, one apply in four mini-batches."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
loss = tf.reduce_mean(tf.square(tf.layers.dense(tf.layers.dense(x, 6, tf.tanh), 1) - y))
opt = tf.train.AdamOptimizer(0.01)
tvs = tf.trainable_variables()
accum_vars = [tf.Variable(tf.zeros_like(tv.initialized_value()), trainable=False) for tv in tvs]
zero_ops = [tv.assign(tf.zeros_like(tv)) for tv in accum_vars]
gvs = opt.compute_gradients(loss, tvs)
n = 4
accum_ops = [accum_vars[i].assign_add(gv[0] / n) for i, gv in enumerate(gvs)]
train_step = opt.apply_gradients([(accum_vars[i], gv[1]) for i, gv in enumerate(gvs)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        sess.run(zero_ops)
        for _ in range(n):
            value = rng.rand(8, 4)
            sess.run(accum_ops, {x: value, y: value.sum(1, keepdims=True)})
        sess.run(train_step)
    print("loss %.3f" % sess.run(loss, {x: value, y: value.sum(1, keepdims=True)}))
