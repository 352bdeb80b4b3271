"""A GAN on photos that are found by a pattern."""
import sys

import tensorflow as tf


class DCGAN(object):
    def __init__(self, pattern, batch_size=3, size=8, z_dim=5):
        self.batch_size, self.size, self.z_dim = batch_size, size, z_dim
        self.real = self.load(pattern)
        self.z = tf.random_uniform([batch_size, z_dim], -1, 1)
        self.fake = self.generator(self.z)
        d_real = self.discriminator(self.real)
        d_fake = self.discriminator(self.fake, reuse=True)
        xent = tf.nn.sigmoid_cross_entropy_with_logits
        self.d_loss = tf.reduce_mean(xent(logits=d_real, labels=tf.ones_like(d_real))
                                     + xent(logits=d_fake, labels=tf.zeros_like(d_fake)))
        self.g_loss = tf.reduce_mean(xent(logits=d_fake, labels=tf.ones_like(d_fake)))
        variables = tf.trainable_variables()
        self.d_vars = [v for v in variables if v.name.startswith('d_')]
        self.g_vars = [v for v in variables if v.name.startswith('g_')]

    def load(self, pattern):
        names = tf.train.match_filenames_once(pattern)
        queue = tf.train.string_input_producer(names)
        _, content = tf.WholeFileReader().read(queue)
        image = tf.image.decode_jpeg(content, channels=3)
        image = tf.image.resize_images(image, [self.size, self.size])
        image = image / 127.5 - 1.0
        return tf.train.shuffle_batch([image], self.batch_size, capacity=20, min_after_dequeue=4, num_threads=2)

    def generator(self, z):
        with tf.variable_scope('g_net'):
            flat = tf.layers.dense(z, self.size * self.size * 3, tf.nn.tanh)
            return tf.reshape(flat, [self.batch_size, self.size, self.size, 3])

    def discriminator(self, images, reuse=False):
        with tf.variable_scope('d_net', reuse=reuse):
            hidden = tf.layers.conv2d(images, 4, 3, strides=2, activation=tf.nn.leaky_relu)
            return tf.layers.dense(tf.reshape(hidden, [self.batch_size, 36]), 1)

    def train(self, steps):
        d_optim = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(self.d_loss, var_list=self.d_vars)
        g_optim = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(self.g_loss, var_list=self.g_vars)
        with tf.Session() as sess:
            sess.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            for step in range(steps):
                _, d = sess.run([d_optim, self.d_loss])
                _, g = sess.run([g_optim, self.g_loss])
                print('[%d] d %.3f g %.3f' % (step, d, g))
            coord.request_stop()
            coord.join(threads)


DCGAN(sys.argv[1] + '/photos/*/*.jpg').train(3)
