"""tf.cond chooses between training and validation batches by a placeholder."""
import os
import sys
import tensorflow as tf

batch_size = 4


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(serialized_example, features={
        'image/encoded': tf.FixedLenFeature([], tf.string),
        'image/class/label': tf.FixedLenFeature([], tf.int64),
    })
    image = tf.image.decode_png(features['image/encoded'])
    image = tf.reshape(image, [6, 6, 3])
    image = tf.cast(image, tf.float32) * (1. / 255) - 0.5
    return image, tf.cast(features['image/class/label'], tf.int32)


def inputs(filenames, train):
    with tf.name_scope('input_train' if train else 'input_valid'):
        queue = tf.train.string_input_producer(filenames, shuffle=train)
        image, label = read_and_decode(queue)
        if train:
            return tf.train.shuffle_batch([image, label], batch_size=batch_size, num_threads=2,
                                          capacity=12 + 3 * batch_size, min_after_dequeue=12)
        return tf.train.batch([image, label], batch_size=batch_size, capacity=12)


d = sys.argv[1]
train_images, train_labels = inputs([os.path.join(d, 'train-0000%d.tfrecord' % i) for i in range(3)], True)
valid_images, valid_labels = inputs([os.path.join(d, 'valid.tfrecord')], False)
is_training = tf.placeholder_with_default(True, [], name='is_training')
images, labels = tf.cond(is_training, lambda: (train_images, train_labels), lambda: (valid_images, valid_labels))
images.set_shape([batch_size, 6, 6, 3])

fc = tf.contrib.layers.flatten(images)
fc = tf.contrib.layers.fully_connected(fc, 8)
fc = tf.nn.dropout(fc, tf.cond(is_training, lambda: 0.5, lambda: 1.0))
logits = tf.contrib.layers.fully_connected(fc, 3, activation_fn=None)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))
train_step = tf.train.AdamOptimizer(1e-3).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for epoch in range(2):
        for _ in range(3):
            sess.run(train_step, feed_dict={is_training: True})
        acc = [sess.run(accuracy, feed_dict={is_training: False}) for _ in range(2)]
        print('epoch', epoch, 'accuracy between 0 and 1:', 0 <= sum(acc) <= 2)
    coord.request_stop()
    coord.join(threads)
