"""The input of a large image model: readers fill an examples queue, preprocessing threads take from it."""
from __future__ import print_function

import os
import sys

import tensorflow as tf

NUM_READERS = 2
NUM_PREPROCESS_THREADS = 4
MIN_QUEUE = 6


def parse_example_proto(example_serialized):
    feature_map = {
        'image/encoded': tf.FixedLenFeature([], dtype=tf.string, default_value=''),
        'image/class/label': tf.FixedLenFeature([1], dtype=tf.int64, default_value=-1),
        'image/class/text': tf.FixedLenFeature([], dtype=tf.string, default_value=''),
    }
    features = tf.parse_single_example(example_serialized, feature_map)
    label = tf.cast(features['image/class/label'], dtype=tf.int32)
    return features['image/encoded'], label, features['image/class/text']


def image_preprocessing(image_buffer, thread_id=0):
    with tf.name_scope(values=[image_buffer], name='decode'):
        image = tf.image.decode_png(image_buffer, channels=3)
        image = tf.image.convert_image_dtype(image, dtype=tf.float32)
    image = tf.image.resize_bilinear(tf.expand_dims(image, 0), [4, 4], align_corners=False)
    image = tf.squeeze(image, [0])
    if thread_id % 2:
        image = tf.reverse(image, [1])
    return tf.multiply(tf.subtract(image, 0.5), 2.0)


def batch_inputs(data_files, batch_size):
    with tf.name_scope('batch_processing'):
        filename_queue = tf.train.string_input_producer(data_files, shuffle=True, capacity=16)
        examples_queue = tf.RandomShuffleQueue(capacity=MIN_QUEUE + 3 * batch_size, min_after_dequeue=MIN_QUEUE,
                                               dtypes=[tf.string])
        enqueue_ops = []
        for _ in range(NUM_READERS):
            reader = tf.TFRecordReader()
            _, value = reader.read(filename_queue)
            enqueue_ops.append(examples_queue.enqueue([value]))
        tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(examples_queue, enqueue_ops))
        example_serialized = examples_queue.dequeue()

        images_and_labels = []
        for thread_id in range(NUM_PREPROCESS_THREADS):
            image_buffer, label_index, _ = parse_example_proto(example_serialized)
            images_and_labels.append([image_preprocessing(image_buffer, thread_id), label_index])
        images, label_index_batch = tf.train.batch_join(images_and_labels, batch_size=batch_size,
                                                        capacity=2 * NUM_PREPROCESS_THREADS * batch_size)
        images = tf.reshape(images, shape=[batch_size, 4, 4, 3])
        tf.summary.image('images', images)
        return images, tf.reshape(label_index_batch, [batch_size])


with tf.Graph().as_default(), tf.device('/cpu:0'):
    files = sorted(tf.gfile.Glob(os.path.join(sys.argv[1], 'train-*.tfrecord')))
    images, labels = batch_inputs(files, batch_size=5)
    logits = tf.layers.dense(tf.layers.flatten(images), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    opt = tf.train.RMSPropOptimizer(0.01, decay=0.9, momentum=0.9, epsilon=1.0)
    apply_gradient_op = opt.apply_gradients(opt.compute_gradients(loss))
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    sess.run(tf.global_variables_initializer())
    tf.train.start_queue_runners(sess=sess)
    for step in range(5):
        _, loss_value = sess.run([apply_gradient_op, loss])
        assert loss_value == loss_value, 'Model diverged with loss = NaN'
    print('last step', step)
