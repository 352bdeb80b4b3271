"""Trains and evaluates digits from TFRecords, with a coordinator."""
from __future__ import print_function

import argparse
import os
import time

import tensorflow as tf

FLAGS = None


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized_example,
        features={
            'image_raw': tf.FixedLenFeature([], tf.string),
            'label': tf.FixedLenFeature([], tf.int64),
        })
    image = tf.decode_raw(features['image_raw'], tf.uint8)
    image.set_shape([28 * 28])
    image = tf.cast(image, tf.float32) * (1. / 255) - 0.5
    label = tf.cast(features['label'], tf.int32)
    return image, label


def inputs(train, batch_size, num_epochs):
    if not num_epochs:
        num_epochs = None
    filename = os.path.join(FLAGS.data, 'digits', 'train.tfrecords' if train else 'test.tfrecords')
    with tf.name_scope('input'):
        filename_queue = tf.train.string_input_producer([filename], num_epochs=num_epochs)
        image, label = read_and_decode(filename_queue)
        images, sparse_labels = tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=2, capacity=10 + 3 * batch_size, min_after_dequeue=10)
        return images, sparse_labels


def run_training():
    with tf.Graph().as_default():
        images, labels = inputs(train=True, batch_size=4, num_epochs=2)
        hidden = tf.layers.dense(images, 16, tf.nn.relu)
        logits = tf.layers.dense(hidden, 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer(0.01).minimize(loss)
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        sess = tf.Session()
        sess.run(init_op)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step = 0
        try:
            while not coord.should_stop():
                start_time = time.time()
                _, loss_value = sess.run([train_op, loss])
                if step % 5 == 0:
                    print('Step %d: loss = %.2f (%.3f sec)' % (step, loss_value, time.time() - start_time))
                step += 1
        except tf.errors.OutOfRangeError:
            print('Done training for %d steps.' % step)
        finally:
            coord.request_stop()
        coord.join(threads)
        sess.close()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('data')
    FLAGS, unparsed = parser.parse_known_args()
    run_training()
