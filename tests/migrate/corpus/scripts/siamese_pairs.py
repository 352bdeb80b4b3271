"""Pairs from two producers over the same folder, with a contrastive loss."""
import os
import sys
import numpy as np
import tensorflow as tf


def get_pairs(path, pairs_per_class=6):
    with open(os.path.join(path, 'png.txt')) as f:
        rows = [line.split() for line in f]
    rng = np.random.RandomState(0)
    left, right, same = [], [], []
    for name, label in rows[:pairs_per_class * 2]:
        other_name, other_label = rows[rng.randint(len(rows))]
        left.append(os.path.join(path, name))
        right.append(os.path.join(path, other_name))
        same.append(float(label == other_label))
    return left, right, same


def load(filename):
    img = tf.image.decode_image(tf.read_file(filename), channels=3)
    img.set_shape([None, None, 3])
    img = tf.image.resize_image_with_crop_or_pad(img, 6, 6)
    return tf.image.rgb_to_grayscale(tf.image.convert_image_dtype(img, tf.float32))


def encoder(x, reuse=False):
    with tf.variable_scope('siamese', reuse=reuse):
        x = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu, name='conv')
        return tf.nn.l2_normalize(tf.layers.dense(tf.layers.flatten(x), 3, name='code'), 1)


left_names, right_names, same = get_pairs(os.path.join(sys.argv[1], 'faces'))
left_queue = tf.train.string_input_producer(left_names, shuffle=False, name='left')
right_queue = tf.train.string_input_producer(right_names, shuffle=False, name='right')
same_queue = tf.train.input_producer(tf.constant(same), shuffle=False, name='same')
left, right, label = tf.train.batch([load(left_queue.dequeue()), load(right_queue.dequeue()), same_queue.dequeue()],
                                    batch_size=4, num_threads=1, capacity=16)
d = tf.reduce_sum(tf.square(encoder(left) - encoder(right, reuse=True)), 1)
margin = 0.5
loss = tf.reduce_mean(label * d + (1 - label) * tf.square(tf.maximum(0., margin - tf.sqrt(d + 1e-8))))
step = tf.Variable(0, trainable=False)
train = tf.train.MomentumOptimizer(0.01, 0.99, use_nesterov=True).minimize(loss, global_step=step)
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        for _ in range(6):
            _, lab = sess.run([train, label])
            print(lab.tolist())
    except Exception as e:
        coord.request_stop(e)
    finally:
        coord.request_stop()
        coord.join(threads)
