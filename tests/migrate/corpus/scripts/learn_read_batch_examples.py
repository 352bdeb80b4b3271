"""youtube8m-like readers: contrib.learn reads batches of serialized examples, which are parsed together."""
import os
import sys

import tensorflow as tf


class AggregatedFeatureReader(object):
    def __init__(self, num_classes=3, size=4):
        self.num_classes, self.size = num_classes, size

    def prepare(self, pattern, batch_size, epochs):
        serialized = tf.contrib.learn.read_batch_examples(
            pattern, batch_size, reader=tf.TFRecordReader, randomize_input=False, num_epochs=epochs,
            queue_capacity=30, num_threads=1, read_batch_size=3, name='read_signals')
        parsed = tf.parse_example(serialized, {'signal': tf.FixedLenFeature([self.size], tf.float32),
                                               'tags': tf.VarLenFeature(tf.int64)})
        labels = tf.sparse_to_indicator(parsed['tags'], self.num_classes)
        labels.set_shape([None, self.num_classes])
        return tf.nn.l2_normalize(parsed['signal'], 1), tf.to_float(labels)


def build_graph(reader, data_dir):
    x, y = reader.prepare(os.path.join(data_dir, 'signals*.tfrecord'), 4, 2)
    with tf.variable_scope('tower'):
        predictions = tf.contrib.layers.fully_connected(
            x, 3, activation_fn=tf.nn.sigmoid, weights_regularizer=tf.contrib.layers.l2_regularizer(1e-8))
    cross_entropy = y * tf.log(predictions + 1e-6) + (1 - y) * tf.log(1 - predictions + 1e-6)
    loss = tf.reduce_mean(tf.reduce_sum(-cross_entropy, 1))
    regularization = tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss + regularization)
    tf.add_to_collection('loss', loss)
    tf.add_to_collection('labels', y)
    return train_op


if __name__ == '__main__':
    train_op = build_graph(AggregatedFeatureReader(), sys.argv[1])
    loss = tf.get_collection('loss')[0]
    labels = tf.get_collection('labels')[0]
    sv = tf.train.Supervisor(logdir=None, save_model_secs=0)
    ones = 0
    with sv.managed_session('', config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        try:
            while not sv.should_stop():
                _, value, l = sess.run([train_op, loss, labels])
                ones += int(l.sum())
        except tf.errors.OutOfRangeError:
            print('Done training -- epoch limit reached,', ones, 'tags')
    sv.stop()
