#coding: utf-8
# A DCGAN on two GPUs, one step of the discriminator per step of the generator. tf.layers and scopes with reuse.
import argparse
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser(description='')
parser.add_argument('--checkpoint_dir', dest='checkpoint_dir', default='/tmp/dcgan', help='models are saved here')
parser.add_argument('--epoch', dest='epoch', type=int, default=1, help='# of epoch')
parser.add_argument('--gpus', default='0,1')
args = parser.parse_args()

Z = 8
BATCH = 6


def lrelu(x, leak=0.2, name="lrelu"):
    return tf.maximum(x, leak*x)


def generator(z, training=True):
    with tf.variable_scope("generator", reuse=tf.AUTO_REUSE):
        h = tf.layers.dense(z, 4 * 4 * 8, name="fc", kernel_initializer=tf.random_normal_initializer(stddev=0.02))
        h = tf.reshape(h, [-1, 4, 4, 8])
        h = tf.nn.relu(tf.contrib.layers.batch_norm(h, is_training=training, scope="bn0", updates_collections=None,
                                                    decay=0.9, epsilon=1e-5, scale=True))
        h = tf.layers.conv2d_transpose(h, 4, 5, strides=2, padding="same", name="deconv1", use_bias=False)
        h = tf.nn.relu(tf.contrib.layers.batch_norm(h, is_training=training, scope="bn1", updates_collections=None,
                                                    decay=0.9, epsilon=1e-5, scale=True))
        w = tf.get_variable("deconv2/w", [5, 5, 1, 4], initializer=tf.random_normal_initializer(stddev=0.02))
        h = tf.nn.conv2d_transpose(h, w, output_shape=[BATCH, 16, 16, 1], strides=[1, 2, 2, 1])
        return tf.nn.tanh(h)


def discriminator(image, reuse=False):
    with tf.variable_scope("discriminator") as scope:
        if reuse:
            scope.reuse_variables()
        h = lrelu(tf.layers.conv2d(image, 4, 5, strides=2, padding="same", name="h0"))
        h = lrelu(tf.contrib.slim.conv2d(h, 8, [5, 5], stride=2, activation_fn=None, scope="h1"))
        shape = h.get_shape().as_list()
        h = tf.reshape(h, [-1, np.prod(shape[1:])])
        h = tf.contrib.layers.fully_connected(h, 1, activation_fn=None, scope="h2")
        return tf.nn.sigmoid(h), h


def average(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        result.append((tf.reduce_mean(tf.stack([g for g, _ in pairs]), axis=0), pairs[0][1]))
    return result


def main():
    gpus = ['/gpu:%s' % each for each in args.gpus.split(',')]
    images = tf.placeholder(tf.float32, [BATCH * len(gpus), 16, 16, 1], name='real_images')
    z = tf.placeholder(tf.float32, [None, Z], name='z')
    d_optim = tf.train.AdamOptimizer(0.002, beta1=0.5)
    g_optim = tf.train.AdamOptimizer(0.002, beta1=0.5)
    d_grads, g_grads, d_losses, g_losses = [], [], [], []
    for i, gpu in enumerate(gpus):
        with tf.device(gpu):
            real = images[i * BATCH:(i + 1) * BATCH]
            fake = generator(z[i * BATCH:(i + 1) * BATCH])
            D, D_logits = discriminator(real, reuse=i > 0)
            D_, D_logits_ = discriminator(fake, reuse=True)
            d_loss_real = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=D_logits, labels=tf.ones_like(D)))
            d_loss_fake = tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(logits=D_logits_, labels=tf.zeros_like(D_)))
            g_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=D_logits_, labels=tf.ones_like(D_)))
            t_vars = tf.trainable_variables()
            d_vars = [var for var in t_vars if 'discriminator' in var.name]
            g_vars = [var for var in t_vars if 'generator' in var.name]
            d_grads.append(d_optim.compute_gradients(d_loss_real + d_loss_fake, var_list=d_vars))
            g_grads.append(g_optim.compute_gradients(g_loss, var_list=g_vars))
            d_losses.append(d_loss_real + d_loss_fake)
            g_losses.append(g_loss)
    d_train = d_optim.apply_gradients(average(d_grads))
    g_train = g_optim.apply_gradients(average(g_grads))
    d_loss, g_loss = tf.reduce_mean(d_losses), tf.reduce_mean(g_losses)

    saver = tf.train.Saver()
    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        try:
            tf.global_variables_initializer().run()
        except:
            tf.initialize_all_variables().run()
        ckpt = tf.train.get_checkpoint_state(args.checkpoint_dir)
        if ckpt and ckpt.model_checkpoint_path:
            ckpt_name = os.path.basename(ckpt.model_checkpoint_path)
            saver.restore(sess, os.path.join(args.checkpoint_dir, ckpt_name))
        else:
            saver.save(sess, os.path.join(args.checkpoint_dir, 'model.ckpt'), global_step=0)
        rng = np.random.RandomState(5)
        for step in range(6 * args.epoch):
            feed = {images: rng.uniform(-1, 1, [BATCH * len(gpus), 16, 16, 1]),
                    z: rng.uniform(-1, 1, [BATCH * len(gpus), Z])}
            _, d_value = sess.run([d_train, d_loss], feed)
            _, g_value = sess.run([g_train, g_loss], feed)
            print("Epoch: [%2d] d_loss: %.8f, g_loss: %.8f" % (step, d_value, g_value))
            print("loss: %.8f" % (d_value + g_value))


if __name__ == '__main__':
    main()
