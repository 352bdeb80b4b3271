"""DCGAN: generator and discriminator, two optimizers, batch norm with UPDATE_OPS of each."""
import numpy as np
import tensorflow as tf

BATCH, Z = 8, 6
rng = np.random.RandomState(0)


def generator(z, reuse=False, training=True):
    with tf.variable_scope("generator", reuse=reuse):
        net = tf.layers.dense(z, 4 * 4 * 8)
        net = tf.reshape(net, [-1, 4, 4, 8])
        net = tf.nn.relu(tf.layers.batch_normalization(net, training=training))
        return tf.tanh(tf.layers.conv2d_transpose(net, 1, 3, 2, padding="same"))


def discriminator(x, reuse=False, training=True):
    with tf.variable_scope("discriminator", reuse=reuse):
        net = tf.nn.leaky_relu(tf.layers.conv2d(x, 8, 3, 2, padding="same"))
        net = tf.layers.batch_normalization(net, training=training)
        return tf.layers.dense(tf.layers.flatten(tf.nn.leaky_relu(net)), 1)


real = tf.placeholder(tf.float32, [BATCH, 8, 8, 1])
z = tf.placeholder(tf.float32, [BATCH, Z])
fake = generator(z)
real_logits = discriminator(real)
fake_logits = discriminator(fake, reuse=True)
d_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=real_logits, labels=tf.ones_like(real_logits))) \
    + tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=fake_logits, labels=tf.zeros_like(fake_logits)))
g_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=fake_logits, labels=tf.ones_like(fake_logits)))
d_vars = [v for v in tf.trainable_variables() if v.name.startswith("discriminator")]
g_vars = [v for v in tf.trainable_variables() if v.name.startswith("generator")]
d_updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, "discriminator")
g_updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, "generator")
with tf.control_dependencies(d_updates):
    d_train = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(d_loss, var_list=d_vars)
with tf.control_dependencies(g_updates):
    g_train = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(g_loss, var_list=g_vars)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(8):
        images = rng.rand(BATCH, 8, 8, 1) * 2 - 1
        noise = rng.uniform(-1, 1, (BATCH, Z))
        _, dl = sess.run([d_train, d_loss], {real: images, z: noise})
        _, gl = sess.run([g_train, g_loss], {real: images, z: noise})
    print("d %.3f g %.3f" % (dl, gl))
