# fine-tuning a tiny net on jpegs, with the usual augmentation
import glob
import os
import sys

import numpy as np
import tensorflow as tf

data_dir = sys.argv[1]
height, width = 6, 6
batch_size = 3

train_files = sorted(glob.glob(os.path.join(data_dir, 'faces', '*.jpg')))
train_labels = np.array([hash_ % 2 for hash_ in range(len(train_files))], dtype=np.int64)


def distort(img):
    img = tf.random_crop(img, [height, width, 3], seed=5)
    img = tf.image.random_flip_left_right(img, seed=6)
    img = tf.image.random_brightness(img, max_delta=0.2, seed=7)
    img = tf.image.random_contrast(img, lower=0.8, upper=1.2, seed=8)
    return tf.image.per_image_standardization(img)


with tf.name_scope('input'), tf.device('/cpu:0'):
    queue = tf.train.slice_input_producer([train_files, train_labels], shuffle=True, seed=3)
    jpeg = tf.image.decode_jpeg(tf.read_file(queue[0]), channels=3)
    jpeg = tf.cast(jpeg, tf.float32) / 255.
    onehot = tf.one_hot(queue[1], depth=2)
    x, y = tf.train.shuffle_batch([distort(jpeg), onehot], batch_size=batch_size, capacity=20,
                                  min_after_dequeue=6, num_threads=1, seed=9)
    tf.summary.image('train', x, max_outputs=2)

net = tf.layers.conv2d(x, 4, 3, padding='same', activation=tf.nn.relu)
net = tf.reduce_mean(net, axis=[1, 2])
logits = tf.layers.dense(net, 2)
cost = tf.losses.softmax_cross_entropy(y, logits)
optimizer = tf.train.MomentumOptimizer(0.01, 0.9).minimize(cost)
summary_op = tf.summary.merge_all()

sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(coord=coord)
for i in range(6):
    _, c, s = sess.run([optimizer, cost, summary_op])
    if i % 3 == 0:
        print('step', i, 'finite', bool(np.isfinite(c)), len(s) > 0)
coord.request_stop()
coord.join(threads)
sess.close()
