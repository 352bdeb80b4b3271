"""The label of a photo is the name of its folder, which is looked up in a list."""
import os
import sys

import tensorflow as tf

root = os.path.join(sys.argv[1], 'photos')
categories = [line.strip() for line in tf.gfile.GFile(os.path.join(root, 'labels.txt'))]
classes = tf.constant(categories)


def label_of(path):
    parts = tf.string_split([path], '/')
    folder = parts.values[-2]
    return tf.argmax(tf.to_int32(tf.equal(classes, folder)), axis=0)


pattern = tf.train.match_filenames_once(os.path.join(root, '*', '*.jpg'))
filename_queue = tf.train.string_input_producer(pattern, seed=5)
reader = tf.WholeFileReader()
path, content = reader.read(filename_queue)
label = label_of(path)
image = tf.image.decode_jpeg(content)
image = tf.image.rgb_to_grayscale(image)
image = tf.to_float(tf.image.resize_images(image, [10, 12]))
image.set_shape((10, 12, 1))
batch_size = 3
image_batch, label_batch = tf.train.shuffle_batch(
    [image, label], batch_size=batch_size, capacity=3 + 3 * batch_size, min_after_dequeue=3)

conv = tf.contrib.layers.conv2d(image_batch, num_outputs=4, kernel_size=3, activation_fn=tf.nn.relu)
pool = tf.contrib.layers.max_pool2d(conv, 2)
logits = tf.contrib.layers.fully_connected(tf.contrib.layers.flatten(pool), len(categories), activation_fn=None)
cost = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=label_batch))
batch = tf.Variable(0)
learning_rate = tf.train.exponential_decay(0.01, batch * 3, 120, 0.95, staircase=True)
optimizer = tf.train.AdamOptimizer(learning_rate, 0.9).minimize(cost, global_step=batch)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(tf.local_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
for i in range(4):
    sess.run(optimizer)
print(sess.run(batch), set(sess.run(label_batch)) <= {0, 1, 2})
coord.request_stop()
coord.join(threads)
