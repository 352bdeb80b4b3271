"""Whether images are distorted on their way into the queue is fed."""
import sys

import tensorflow as tf

is_training = tf.placeholder_with_default(True, [], name='is_training')
queue = tf.train.string_input_producer([sys.argv[1] + '/cifar100/train.bin'])
_, record = tf.FixedLengthRecordReader(3074).read(queue)
record = tf.decode_raw(record, tf.uint8)
coarse, fine = tf.to_int32(record[0]), tf.to_int32(record[1])
image = tf.to_float(tf.transpose(tf.reshape(record[2:], [3, 32, 32]), [1, 2, 0]))
image = tf.cond(is_training, lambda: tf.image.random_flip_left_right(image), lambda: image)
image = tf.image.per_image_standardization(tf.reshape(image, [32, 32, 3]))
images, coarse_labels, fine_labels = tf.train.batch([image, coarse, fine], 3)

features = tf.layers.average_pooling2d(images, 8, 8)
flat = tf.layers.flatten(features)
loss = tf.losses.sparse_softmax_cross_entropy(fine_labels, tf.layers.dense(flat, 100))
loss += 0.5 * tf.losses.sparse_softmax_cross_entropy(coarse_labels, tf.layers.dense(flat, 20))
train = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for _ in range(3):
        sess.run(train)
    print(sess.run(loss, {is_training: False}) > 0)
    coord.request_stop()
    coord.join(threads)
