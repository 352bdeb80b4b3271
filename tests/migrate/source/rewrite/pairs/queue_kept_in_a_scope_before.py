from legacy_towers.compat import tf


def read_row(names):
    _, row = tf.TextLineReader(skip_header_lines=1).read(names)
    a, n, label = tf.decode_csv(row, [[0.], [0], ['']])
    features = {'a': a, 'n': n}
    return features, label


class Loader(object):

    def __init__(self, paths, scope='loader'):
        with tf.variable_scope(scope):
            self.names = tf.train.string_input_producer(paths, num_epochs=3, shuffle=False)
            self.reader = tf.TFRecordReader()

    def get(self):
        _, serialized = self.reader.read(self.names)
        features = tf.io.parse_single_example(serialized, {'x': tf.io.FixedLenFeature([2], tf.float32)})
        return features['x'] * (1. / 255) - 0.5

    def batches(self, size):
        x = self.get()
        return tf.train.batch([x], size)


names = tf.train.string_input_producer(CSV, num_epochs=3, shuffle=False)
features, label = read_row(names)
features['label'] = label
FETCHED = [Loader(FILES).batches(4), tf.train.batch(features, 2)]
