"""Extracts features of all photos, once, and writes them with the names of the files."""
import fnmatch
import os
import sys

import numpy as np
import tensorflow as tf

VGG_MEAN = [123.68, 116.779, 103.939]


def find(directory, pattern):
    matches = []
    for root, _, filenames in sorted(os.walk(directory)):
        matches += [os.path.join(root, name) for name in sorted(fnmatch.filter(filenames, pattern))]
    return matches


def get_image(filename_queue):
    reader = tf.WholeFileReader()
    key, value = reader.read(filename_queue)
    image = tf.image.decode_image(value, channels=3)
    image.set_shape([None, None, 3])
    image = tf.to_float(image)
    shorter = tf.minimum(tf.shape(image)[0], tf.shape(image)[1])
    scale = tf.to_float(10) / tf.to_float(shorter)
    new_size = tf.to_int32(tf.to_float(tf.shape(image)[:2]) * scale)
    image = tf.image.resize_images(image, new_size)
    image = tf.image.resize_image_with_crop_or_pad(image, 10, 10)
    return key, image - VGG_MEAN


photos = find(os.path.join(sys.argv[1], 'photos'), '*.jpg')
names = tf.train.string_input_producer(photos, num_epochs=1, shuffle=False, name='names')
key, image = get_image(names)
keys, images = tf.train.batch([key, image], batch_size=4, num_threads=1, capacity=16, allow_smaller_final_batch=True)
with tf.variable_scope('conv1'):
    w = tf.get_variable('w', [3, 3, 3, 4], initializer=tf.random_normal_initializer(stddev=0.1, seed=3))
features = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(images, w, [1, 1, 1, 1], 'SAME')), axis=[1, 2])

found = {}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(tf.local_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
try:
    while not coord.should_stop():
        paths, values = sess.run([keys, features])
        for path, value in zip(paths, values):
            found[os.path.basename(path.decode())] = value
except tf.errors.OutOfRangeError:
    pass
coord.request_stop()
coord.join(threads)
sess.close()
np.savez('features.npz', **found)
print(sorted(found))
