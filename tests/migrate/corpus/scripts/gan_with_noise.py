# DCGAN-like; images come from a queue, z from a random op
import sys, os
import tensorflow as tf
import numpy as np

z_dim, bs = 5, 4
real_dir = os.path.join(sys.argv[1], 'faces')


def get_images(folder, size=4):
    files = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith('.jpg')]
    q = tf.train.string_input_producer(files)
    _, content = tf.WholeFileReader().read(q)
    im = tf.image.decode_jpeg(content, channels=3)
    im = tf.image.crop_to_bounding_box(im, 1, 1, 6, 6)
    im = tf.image.resize_images(im, [size, size], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR)
    im = tf.to_float(im) / 127.5 - 1
    im.set_shape([size, size, 3])
    return tf.train.shuffle_batch([im], batch_size=bs, capacity=bs * 8, min_after_dequeue=bs * 2, num_threads=2)


def G(z, reuse=False):
    with tf.variable_scope('generator', reuse=reuse):
        h = tf.layers.dense(z, 16, tf.nn.relu)
        return tf.reshape(tf.layers.dense(h, 48, tf.nn.tanh), [-1, 4, 4, 3])


def D(x, reuse=False):
    with tf.variable_scope('discriminator', reuse=reuse):
        h = tf.nn.leaky_relu(tf.layers.conv2d(x, 4, 2))
        return tf.layers.dense(tf.layers.flatten(h), 1)


real = get_images(real_dir)
z = tf.random_uniform([bs, z_dim], -1., 1., name='z')
fake = G(z)
d_real, d_fake = D(real), D(fake, reuse=True)
eps = tf.random_uniform([bs, 1, 1, 1])
mixed = real * eps + fake * (1 - eps)
slopes = tf.sqrt(tf.reduce_sum(tf.square(tf.gradients(D(mixed, reuse=True), mixed)[0]), [1, 2, 3]))
d_loss = tf.reduce_mean(d_fake) - tf.reduce_mean(d_real) + 10. * tf.reduce_mean((slopes - 1.) ** 2)
g_loss = -tf.reduce_mean(d_fake)
t_vars = tf.trainable_variables()
d_vars = [v for v in t_vars if v.name.startswith('discriminator')]
g_vars = [v for v in t_vars if v.name.startswith('generator')]
d_opt = tf.train.AdamOptimizer(1e-4, beta1=0.5).minimize(d_loss, var_list=d_vars)
g_opt = tf.train.AdamOptimizer(1e-4, beta1=0.5).minimize(g_loss, var_list=g_vars)
tf.summary.histogram('z', z)
tf.summary.scalar('d_loss', d_loss)
merged = tf.summary.merge_all()

with tf.Session() as sess:
    tf.global_variables_initializer().run()
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord, sess=sess)
    for step in range(3):
        for _ in range(2):
            sess.run(d_opt)
        _, gl, _ = sess.run([g_opt, g_loss, merged])
    sample = sess.run(fake)
    print(sample.shape, np.isfinite(gl))
    coord.request_stop()
    coord.join(threads)
