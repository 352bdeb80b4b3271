"""Evaluates CIFAR-10 with moving averages of the weights, in a fixed number of batches."""
import math
import os
import sys

import numpy as np
import tensorflow as tf

NUM_EXAMPLES = 6
BATCH_SIZE = 3
FLAGS_run_once = True


def inputs(data_dir):
    queue = tf.train.string_input_producer([os.path.join(data_dir, 'cifar', 'test_batch.bin')])
    reader = tf.FixedLengthRecordReader(record_bytes=3073)
    key, value = reader.read(queue)
    record = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.slice(record, [0], [1]), tf.int32)
    image = tf.transpose(tf.reshape(tf.slice(record, [1], [3072]), [3, 32, 32]), [1, 2, 0])
    image = tf.image.resize_image_with_crop_or_pad(tf.cast(image, tf.float32), 24, 24)
    image = tf.image.per_image_standardization(image)
    label.set_shape([1])
    images, labels = tf.train.batch([image, label], batch_size=BATCH_SIZE, num_threads=1, capacity=3 * BATCH_SIZE)
    return images, tf.reshape(labels, [BATCH_SIZE])


def eval_once(top_k_op):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        try:
            threads = []
            for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
                threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
            num_iter = int(math.ceil(NUM_EXAMPLES / float(BATCH_SIZE)))
            true_count = 0
            step = 0
            while step < num_iter and not coord.should_stop():
                true_count += np.sum(sess.run([top_k_op]))
                step += 1
            print('precision @ 1 = %.3f' % (true_count / float(num_iter * BATCH_SIZE)))
        except Exception as e:  # pylint: disable=broad-except
            coord.request_stop(e)
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)


def evaluate():
    with tf.Graph().as_default():
        images, labels = inputs(sys.argv[1])
        with tf.variable_scope('local'):
            weights = tf.get_variable('weights', [24 * 24 * 3, 10])
            biases = tf.get_variable('biases', [10], initializer=tf.constant_initializer(0.1))
        logits = tf.nn.xw_plus_b(tf.reshape(images, [BATCH_SIZE, -1]), weights, biases)
        top_k_op = tf.nn.in_top_k(logits, labels, 1)
        variable_averages = tf.train.ExponentialMovingAverage(0.999)
        variable_averages.apply(tf.trainable_variables())
        while True:
            eval_once(top_k_op)
            if FLAGS_run_once:
                break


if __name__ == '__main__':
    evaluate()
