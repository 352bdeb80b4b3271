"""Labelled and unlabelled images in batches of different sizes, with a consistency loss."""
import os
import sys

import numpy as np
import tensorflow as tf

dirname = sys.argv[1]
SEED = 1234


def generate_filename_queue(filenames, num_epochs=None):
    for i, f in enumerate(filenames):
        filenames[i] = os.path.join(dirname, f)
    return tf.train.string_input_producer(filenames, num_epochs=num_epochs)


def read(filename_queue, labelled):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    spec = {'image_raw': tf.FixedLenFeature([], tf.string)}
    if labelled:
        spec['label'] = tf.FixedLenFeature([], tf.int64)
    features = tf.parse_single_example(serialized_example, features=spec)
    image = tf.decode_raw(features['image_raw'], tf.uint8)
    image.set_shape([16])
    image = tf.reshape(tf.cast(image, tf.float32) / 255., [4, 4, 1])
    return (image, tf.one_hot(features['label'], 2)) if labelled else [image]


def batcher(example, batch_size, threads):
    n_min = 5
    return tf.train.shuffle_batch(example, batch_size=batch_size, num_threads=threads,
                                  capacity=n_min + 3 * batch_size, min_after_dequeue=n_min)


with tf.variable_scope('inputs'), tf.device('/cpu:0'):
    images, labels = batcher(read(generate_filename_queue(['labelled.tfrecord']), True), 2, 1)
    ul_images = batcher(read(generate_filename_queue(['unlabelled.tfrecord']), False), 6, 3)
    ul_images_2 = batcher(read(generate_filename_queue(['unlabelled.tfrecord']), False), 6, 1)


def forward(x, noise=0.):
    with tf.variable_scope('CNN', reuse=tf.AUTO_REUSE):
        if noise:
            x = x + tf.random_normal(tf.shape(x), stddev=noise)
        return tf.layers.dense(tf.layers.flatten(x), 2, name='logit')


logit = forward(images)
nll = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logit))
consistency = tf.reduce_mean(tf.squared_difference(tf.nn.softmax(forward(ul_images)),
                                                   tf.nn.softmax(forward(ul_images, 0.15))))
entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(
    labels=tf.stop_gradient(tf.nn.softmax(forward(ul_images_2))), logits=forward(ul_images_2)))
global_step = tf.get_variable('global_step', (), tf.float32, tf.zeros_initializer(), trainable=False)
lr = tf.placeholder(tf.float32, shape=[], name='learning_rate')
train_op = tf.train.AdamOptimizer(lr, beta1=0.9).minimize(nll + consistency + entropy, global_step=global_step)

sv = tf.train.Supervisor(is_chief=True, logdir=None, init_op=tf.global_variables_initializer())
with sv.managed_session() as sess:
    total = 0.
    for i in range(3):
        _, one, gs = sess.run([train_op, nll, global_step], feed_dict={lr: 1e-3 * (3 - i)})
        total += one
    print('nll', np.isfinite(total), 'steps', int(gs))
