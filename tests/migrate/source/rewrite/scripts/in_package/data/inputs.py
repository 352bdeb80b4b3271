import os
import tensorflow as tf


class Dataset(object):
    """A data set of CSV files.

    Subclasses give the columns.
    """

    def __init__(self, data_dir):
        self.data_dir = data_dir

    def filenames(self):
        return [os.path.join(self.data_dir, 'iris_%d.csv' % i) for i in range(3)]

    def batch(self, batch_size, shuffle=False):
        filename_queue = tf.train.string_input_producer(self.filenames(), shuffle=shuffle)
        _, line = tf.TextLineReader(skip_header_lines=1).read(filename_queue)
        sepal, petal, count, _ = tf.decode_csv(line, [[0.0], [0.0], [0], ['']])
        return tf.train.batch([tf.stack([sepal, petal]), count], batch_size)
