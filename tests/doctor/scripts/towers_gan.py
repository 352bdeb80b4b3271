"""A GAN on two towers with two optimizers: gradients of both are averaged, the generator is trained twice in a step."""
import numpy as np
import tensorflow as tf

TOWERS, BATCH, Z = 2, 8, 4
rng = np.random.RandomState(0)


def dense(x, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.shape[-1].value, size], initializer=tf.random_normal_initializer(stddev=0.1))
        b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def generator(z):
    with tf.variable_scope("generator", reuse=tf.AUTO_REUSE):
        h = tf.nn.relu(tf.layers.batch_normalization(dense(z, 8, "h0"), training=True, name="bn"))
        return tf.nn.tanh(dense(h, 6, "h1"))


def discriminator(x):
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        h = tf.nn.leaky_relu(dense(x, 8, "h0"))
        return dense(h, 1, "h1")


def average(tower_pairs):
    result = []
    for pairs in zip(*tower_pairs):
        result.append((tf.add_n([g for g, _ in pairs]) / TOWERS, pairs[0][1]))
    return result


real = tf.placeholder(tf.float32, [BATCH * TOWERS, 6], "real_images")
z = tf.placeholder(tf.float32, [BATCH * TOWERS, Z], "z")
d_opt = tf.train.AdamOptimizer(2e-4, beta1=0.5)
g_opt = tf.train.AdamOptimizer(2e-4, beta1=0.5)
d_pairs, g_pairs, d_losses = [], [], []
for i in range(TOWERS):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        x = real[i * BATCH:(i + 1) * BATCH]
        fake = generator(z[i * BATCH:(i + 1) * BATCH])
        real_logits, fake_logits = discriminator(x), discriminator(fake)
        bce = tf.nn.sigmoid_cross_entropy_with_logits
        d_real = tf.reduce_mean(bce(logits=real_logits, labels=0.9 * tf.ones_like(real_logits)))
        d_fake = tf.reduce_mean(bce(logits=fake_logits, labels=tf.zeros_like(fake_logits)))
        d_loss = 0.5 * (d_real + d_fake)
        g_loss = tf.reduce_mean(bce(logits=fake_logits, labels=tf.ones_like(fake_logits)))
        variables = tf.trainable_variables()
        d_vars = [v for v in variables if v.name.startswith("discriminator")]
        g_vars = [v for v in variables if v.name.startswith("generator")]
        d_pairs.append(d_opt.compute_gradients(d_loss, var_list=d_vars))
        g_pairs.append(g_opt.compute_gradients(g_loss, var_list=g_vars))
        d_losses.append(d_loss)
        if i == 0:
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
global_step = tf.train.get_or_create_global_step()
d_train = d_opt.apply_gradients(average(d_pairs), global_step=global_step)
with tf.control_dependencies(updates):
    g_train = g_opt.apply_gradients(average(g_pairs))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(6):
        feed = {real: rng.rand(BATCH * TOWERS, 6), z: rng.uniform(-1, 1, [BATCH * TOWERS, Z])}
        sess.run(d_train, feed)
        sess.run(g_train, feed)
        sess.run(g_train, feed)
    print("d_loss %.3f" % np.mean(sess.run(d_losses, feed)))
