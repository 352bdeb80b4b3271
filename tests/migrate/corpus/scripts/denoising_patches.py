"""Learns to remove noise: noise is added to random patches on their way into the queue."""
import sys
from os.path import join

import numpy as np
import tensorflow as tf


def noisy_pair(record, patch=8, sigma=25.):
    features = tf.parse_single_example(record, features={
        "image_raw": tf.FixedLenFeature([], tf.string),
        "height": tf.FixedLenFeature([], tf.int64),
        "width": tf.FixedLenFeature([], tf.int64),
        "depth": tf.FixedLenFeature([], tf.int64),
    })
    shape = tf.stack([tf.cast(features[each], tf.int32) for each in ("height", "width", "depth")])
    image = tf.reshape(tf.decode_raw(features["image_raw"], tf.uint8), shape)
    crop = tf.to_float(tf.random_crop(image, [patch, patch, 1]))
    k = tf.random_uniform([], 0, 4, dtype=tf.int32)
    crop = tf.image.rot90(crop, k)
    crop.set_shape([patch, patch, 1])
    level = tf.random_uniform([], 0., sigma)
    noise = tf.random_normal([patch, patch, 1], stddev=1.) * level
    return crop + noise, crop


with tf.device("/cpu:0"):
    names = tf.train.string_input_producer([join(sys.argv[1], "digits", "train.tfrecords")], num_epochs=2)
    noisy, clean = noisy_pair(tf.TFRecordReader().read(names)[1])
    noisy, clean = tf.train.batch([noisy, clean], 5, num_threads=2, capacity=100)

residual = noisy
for layer in range(2):
    residual = tf.layers.conv2d(residual, 4, 3, padding="same", activation=tf.nn.relu, name="conv%d" % layer)
residual = tf.layers.conv2d(residual, 1, 3, padding="same", name="out")
loss = tf.nn.l2_loss(noisy - residual - clean) / 5
optimizer = tf.train.AdamOptimizer(1e-3).minimize(loss)

saver = tf.train.Saver(max_to_keep=1)
history = []
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coordinator = tf.train.Coordinator()
    runners = tf.train.start_queue_runners(sess=sess, coord=coordinator)
    while not coordinator.should_stop():
        try:
            history.append(sess.run([optimizer, loss])[1])
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
    coordinator.join(runners)
    saver.save(sess, "./denoiser.ckpt", global_step=len(history))
print(len(history), np.isfinite(history).all())
