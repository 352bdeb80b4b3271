"""Reads text files by several readers, whose examples are joined in one batch."""
import glob
import sys

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer('batch_size', 4, 'Batch size')
flags.DEFINE_integer('read_threads', 3, 'Number of readers')
flags.DEFINE_integer('num_epochs', 2, 'Epochs')
FLAGS = flags.FLAGS


def read_my_file_format(filename_queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    key, record_string = reader.read(filename_queue)
    sepal, petal, kind = tf.decode_csv(record_string, record_defaults=[[0.0], [0.0], [0]])
    return tf.stack([sepal, petal]), kind


def input_pipeline(filenames, batch_size, read_threads, num_epochs=None):
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=True)
    example_list = [read_my_file_format(filename_queue) for _ in range(read_threads)]
    return tf.train.batch_join(example_list, batch_size=batch_size, capacity=100)


def main(argv):
    x, y = input_pipeline(sorted(glob.glob(argv[1] + '/flowers-*.csv')), FLAGS.batch_size, FLAGS.read_threads,
                          FLAGS.num_epochs)
    w = tf.get_variable('w', [2, 3], initializer=tf.zeros_initializer())
    loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=tf.matmul(x, w))
    train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())
    with tf.train.MonitoredTrainingSession() as sess:
        total = 0
        while not sess.should_stop():
            total += len(sess.run([train, y])[1])
    print('%d examples' % total)


if __name__ == '__main__':
    tf.app.run()
