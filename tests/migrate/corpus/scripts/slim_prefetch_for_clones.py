"""slim's prefetch queue in front of two clones."""
import os
import sys

import tensorflow as tf

slim = tf.contrib.slim

tf.app.flags.DEFINE_integer('num_clones', 2, 'Number of model clones.')
tf.app.flags.DEFINE_integer('batch_size', 3, 'The number of samples in each batch.')
FLAGS = tf.app.flags.FLAGS


def network(images, num_classes, is_training=True, reuse=None):
    with tf.variable_scope('net', reuse=reuse):
        with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(1e-4)):
            net = slim.conv2d(images, 4, [3, 3], scope='conv1')
            net = slim.max_pool2d(net, [2, 2], scope='pool1')
            net = slim.flatten(net)
            return slim.fully_connected(net, num_classes, activation_fn=None, scope='logits')


def main(argv):
    files = tf.gfile.Glob(os.path.join(argv[1], 'train-*.tfrecord'))
    with tf.Graph().as_default():
        with tf.device('/cpu:0'):
            filename_queue = tf.train.string_input_producer(files, seed=2)
            _, serialized = tf.TFRecordReader().read(filename_queue)
            feats = tf.parse_single_example(serialized, {'image/encoded': tf.FixedLenFeature([], tf.string),
                                                         'image/class/label': tf.FixedLenFeature([], tf.int64)})
            image = tf.image.decode_png(feats['image/encoded'], channels=3)
            image.set_shape([6, 6, 3])
            image = tf.to_float(image) / 255.
            images, labels = tf.train.batch([image, feats['image/class/label']], batch_size=FLAGS.batch_size,
                                            num_threads=1, capacity=5 * FLAGS.batch_size)
            labels = slim.one_hot_encoding(labels, 3)
            batch_queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2 * FLAGS.num_clones)

        for k in range(FLAGS.num_clones):
            with tf.name_scope('clone_%d' % k):
                images, labels = batch_queue.dequeue()
                logits = network(images, 3, reuse=True if k else None)
                tf.losses.softmax_cross_entropy(labels, logits, weights=1.0 / FLAGS.num_clones)
        total_loss = tf.losses.get_total_loss()
        global_step = tf.train.get_or_create_global_step()
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        train_tensor = slim.learning.create_train_op(total_loss, optimizer, global_step=global_step)
        with tf.train.MonitoredTrainingSession(checkpoint_dir=None) as sess:
            for _ in range(4):
                last = sess.run(train_tensor)
        print('loss is a number:', last == last)


if __name__ == '__main__':
    tf.app.run()
