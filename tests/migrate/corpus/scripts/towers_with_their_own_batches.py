"""cifar10_multi_gpu_train: each tower calls distorted_inputs itself."""
from __future__ import absolute_import, division, print_function

import os
import re
import sys

import numpy as np
import tensorflow as tf

TOWER_NAME = 'tower'
NUM_GPUS = 2
BATCH_SIZE = 4


def read_cifar(filename_queue):
    class Record(object):
        pass
    result = Record()
    result.height = result.width = 4
    result.depth = 3
    reader = tf.FixedLengthRecordReader(record_bytes=1 + 48)
    result.key, value = reader.read(filename_queue)
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record_bytes, [0], [1]), tf.int32)
    depth_major = tf.reshape(tf.strided_slice(record_bytes, [1], [49]), [3, 4, 4])
    result.uint8image = tf.transpose(depth_major, [1, 2, 0])
    return result


def distorted_inputs(data_dir, batch_size):
    filenames = [os.path.join(data_dir, 'batch_%d.bin' % i) for i in range(1, 3)]
    filename_queue = tf.train.string_input_producer(filenames)
    read_input = read_cifar(filename_queue)
    distorted_image = tf.cast(read_input.uint8image, tf.float32)
    distorted_image = tf.image.random_flip_left_right(distorted_image)
    distorted_image = tf.image.random_brightness(distorted_image, max_delta=63)
    float_image = tf.image.per_image_standardization(distorted_image)
    float_image.set_shape([4, 4, 3])
    read_input.label.set_shape([1])
    images, label_batch = tf.train.shuffle_batch([float_image, read_input.label], batch_size=batch_size,
                                                 num_threads=4, capacity=6 + 3 * batch_size, min_after_dequeue=6)
    tf.summary.image('images', images)
    return images, tf.reshape(label_batch, [batch_size])


def tower_loss(scope):
    images, labels = distorted_inputs(sys.argv[1], BATCH_SIZE)
    with tf.variable_scope('softmax_linear'):
        weights = tf.get_variable('weights', [48, 4], initializer=tf.truncated_normal_initializer(stddev=0.04))
        logits = tf.matmul(tf.reshape(images, [BATCH_SIZE, 48]), weights)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    tf.add_to_collection('losses', loss)
    total_loss = tf.add_n(tf.get_collection('losses', scope), name='total_loss')
    tf.summary.scalar(re.sub('%s_[0-9]*/' % TOWER_NAME, '', total_loss.op.name), total_loss)
    return total_loss


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), grad_and_vars[0][1]))
    return average_grads


with tf.Graph().as_default(), tf.device('/cpu:0'):
    global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
    opt = tf.train.GradientDescentOptimizer(tf.train.exponential_decay(0.1, global_step, 100, 0.1, staircase=True))
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(NUM_GPUS):
            with tf.device('/gpu:%d' % i):
                with tf.name_scope('%s_%d' % (TOWER_NAME, i)) as scope:
                    loss = tower_loss(scope)
                    tf.get_variable_scope().reuse_variables()
                    summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                    tower_grads.append(opt.compute_gradients(loss))
    apply_gradient_op = opt.apply_gradients(average_gradients(tower_grads), global_step=global_step)
    summary_op = tf.summary.merge(summaries)
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False))
    sess.run(tf.global_variables_initializer())
    tf.train.start_queue_runners(sess=sess)
    for step in range(3):
        _, loss_value = sess.run([apply_gradient_op, loss])
        assert not np.isnan(loss_value), 'Model diverged with loss = NaN'
    sess.run(summary_op)
    print('step', sess.run(global_step))
