"""Two input pipelines in one graph; a placeholder chooses which of them a step reads."""
import os
import sys

import tensorflow as tf

tf.set_random_seed(1234)


def pipeline(paths, batch_size, training):
    with tf.name_scope('train_input' if training else 'validation_input'):
        files = tf.train.string_input_producer(paths, shuffle=training)
        _, record = tf.TFRecordReader().read(files)
        example = tf.parse_single_example(record, features={'image/encoded': tf.FixedLenFeature([], tf.string),
                                                            'image/class/text': tf.FixedLenFeature([], tf.string)})
        image = tf.image.decode_jpeg(example['image/encoded'], channels=3, dct_method='INTEGER_ACCURATE')
        image = tf.image.resize_images(image, (8, 8))
        if training:
            image = tf.image.random_flip_up_down(image)
            image = image + tf.truncated_normal([8, 8, 3], stddev=2.)
        label = tf.to_int32(tf.equal(example['image/class/text'], 'rose'))
        if training:
            return tf.train.shuffle_batch([image, label], batch_size, 20, 5)
        return tf.train.batch([image, label], batch_size)


folder = os.path.join(sys.argv[1], 'records')
train_batch = pipeline([os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.startswith('train')], 3, True)
valid_batch = pipeline([os.path.join(folder, 'validation-00000-of-00001')], 3, False)
use_train = tf.placeholder(tf.bool, [])
images, labels = tf.cond(use_train, lambda: train_batch, lambda: valid_batch)
images = tf.reshape(images, [-1, 8 * 8 * 3]) / 255.
logits = tf.squeeze(tf.layers.dense(images, 1), 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.to_float(labels), logits=logits))
accuracy = tf.reduce_mean(tf.to_float(tf.equal(logits > 0, labels > 0)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for step in range(6):
        sess.run(train_op, feed_dict={use_train: True})
        if step % 3 == 2:
            print('validation', 0 <= sess.run(accuracy, {use_train: False}) <= 1)
    coord.request_stop()
    coord.join(threads)
