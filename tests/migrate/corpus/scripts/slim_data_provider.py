"""A slim Dataset, read by DatasetDataProvider, as the scripts of the model zoo do."""
import os
import sys

import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.slim.python.slim.data import dataset, dataset_data_provider, tfexample_decoder

_ITEMS_TO_DESCRIPTIONS = {'image': 'A small color image.', 'label': 'A single integer between 0 and 2'}


def get_split(split_name, dataset_dir, file_pattern='%s-*.tfrecord', reader=None):
    if split_name not in ('train', 'test'):
        raise ValueError('split name %s was not recognized.' % split_name)
    keys_to_features = {
        'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
        'image/format': tf.FixedLenFeature((), tf.string, default_value='png'),
        'image/class/label': tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
    }
    items_to_handlers = {
        'image': slim.tfexample_decoder.Image(shape=[6, 6, 3], channels=3),
        'label': tfexample_decoder.Tensor('image/class/label', shape=[]),
    }
    return dataset.Dataset(
        data_sources=os.path.join(dataset_dir, file_pattern % split_name), reader=reader or tf.TFRecordReader,
        decoder=tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers), num_samples=21,
        items_to_descriptions=_ITEMS_TO_DESCRIPTIONS, num_classes=3)


def preprocess(image, is_training):
    image = tf.to_float(image)
    if is_training:
        image = tf.pad(image, [[1, 1], [1, 1], [0, 0]])
        image = tf.random_crop(image, [6, 6, 3])
        image = tf.image.random_flip_left_right(image)
    return tf.image.per_image_standardization(image)


with tf.Graph().as_default():
    tf.train.create_global_step()
    split = get_split('train', sys.argv[1])
    provider = dataset_data_provider.DatasetDataProvider(split, num_readers=2, common_queue_capacity=20,
                                                         common_queue_min=10)
    image, label = provider.get(['image', 'label'])
    images, labels = tf.train.batch([preprocess(image, True), label], batch_size=4, num_threads=2, capacity=20)
    logits = slim.fully_connected(slim.flatten(images), split.num_classes, activation_fn=None)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.01))
    final = slim.learning.train(train_op, logdir=None, number_of_steps=4, log_every_n_steps=2)
    print('trained', final == final)
