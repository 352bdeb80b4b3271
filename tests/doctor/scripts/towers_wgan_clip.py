"""A WGAN on two towers: the critic is trained and then clipped, with a gradient in its loss."""
import numpy as np
import tensorflow as tf

TOWERS, BATCH = 2, 8
rng = np.random.RandomState(0)
real_all = tf.placeholder(tf.float32, [TOWERS * BATCH, 4])


def critic(x):
    with tf.variable_scope("critic", reuse=tf.AUTO_REUSE):
        h = tf.layers.dense(x, 8, tf.nn.tanh, name="h")
        return tf.layers.dense(h, 1, name="out")


def generate(n):
    with tf.variable_scope("gen", reuse=tf.AUTO_REUSE):
        return tf.layers.dense(tf.random_normal([n, 2]), 4, name="out")


c_opt, g_opt = tf.train.RMSPropOptimizer(5e-5), tf.train.RMSPropOptimizer(5e-5)
c_grads, g_grads = [], []
for i, real in enumerate(tf.split(real_all, TOWERS)):
    with tf.device("/gpu:%d" % i), tf.name_scope("replica_%d" % i):
        fake = generate(BATCH)
        eps = tf.random_uniform([BATCH, 1])
        mixed = eps * real + (1 - eps) * fake
        slope = tf.norm(tf.gradients(critic(mixed), [mixed])[0], axis=1)
        c_loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10 * tf.reduce_mean((slope - 1) ** 2)
        g_loss = -tf.reduce_mean(critic(fake))
        c_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "critic")
        g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "gen")
        c_grads.append(c_opt.compute_gradients(c_loss, c_vars))
        g_grads.append(g_opt.compute_gradients(g_loss, g_vars))


def mean(tower_grads):
    return [(tf.reduce_mean([g for g, _ in pairs], 0), pairs[0][1]) for pairs in zip(*tower_grads)]


step = tf.train.get_or_create_global_step()
c_apply = c_opt.apply_gradients(mean(c_grads))
with tf.control_dependencies([c_apply]):
    c_train = tf.group(*[v.assign(tf.clip_by_value(v.read_value(), -0.5, 0.5)) for v in c_vars])
g_train = g_opt.apply_gradients(mean(g_grads), global_step=step)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        for _ in range(2):
            sess.run(c_train, {real_all: rng.rand(TOWERS * BATCH, 4)})
        sess.run(g_train)
    print("critic %.3f" % sess.run(c_loss, {real_all: rng.rand(TOWERS * BATCH, 4)}))
