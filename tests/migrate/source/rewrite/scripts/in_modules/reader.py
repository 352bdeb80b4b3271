"""Reads the records of the training."""
import tensorflow as tf

IMAGE_SIZE = 4


def decode(serialized):
    features = tf.parse_single_example(serialized, features={
        'image_raw': tf.FixedLenFeature([], tf.string),
        'label': tf.FixedLenFeature([], tf.int64),
    })
    image = tf.reshape(tf.decode_raw(features['image_raw'], tf.uint8), [IMAGE_SIZE, IMAGE_SIZE, 3])
    return tf.image.convert_image_dtype(image, tf.float32), features['label']


def read(filenames, num_epochs=None):
    queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs)
    _, serialized = tf.TFRecordReader().read(queue)
    return decode(serialized)
