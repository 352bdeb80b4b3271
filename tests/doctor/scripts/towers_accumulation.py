"""Averaged gradients of two towers are accumulated over three runs, then applied, and the sums are set to zero."""
import numpy as np
import tensorflow as tf

TOWERS, PERIOD = 2, 3
rng = np.random.RandomState(0)
data = tf.data.Dataset.from_tensor_slices((rng.rand(60, 4).astype(np.float32), rng.rand(60, 1).astype(np.float32)))
iterator = data.shuffle(60).repeat().batch(6).make_initializable_iterator()
opt = tf.train.AdamOptimizer(1e-3)
tower_grads = []
for i in range(TOWERS):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i), tf.variable_scope("m", reuse=tf.AUTO_REUSE):
        features, target = iterator.get_next()
        w = tf.get_variable("w", [4, 1])
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(target, tf.matmul(features, w) + b)
        tower_grads.append(opt.compute_gradients(loss, [w, b]))
averaged = [(tf.add_n([g for g, _ in pairs]) / TOWERS, pairs[0][1]) for pairs in zip(*tower_grads)]
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for _, v in averaged]
zero = [s.assign(tf.zeros_like(s)) for s in sums]
accumulate = [s.assign_add(g) for s, (g, _) in zip(sums, averaged)]
train = opt.apply_gradients([(s / PERIOD, v) for s, (_, v) in zip(sums, averaged)],
                            global_step=tf.train.get_or_create_global_step())
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run([tf.global_variables_initializer(), iterator.initializer])
    for _ in range(4):
        sess.run(zero)
        for _ in range(PERIOD):
            sess.run(accumulate)
        sess.run(train)
    print("loss %.3f" % sess.run(loss))
