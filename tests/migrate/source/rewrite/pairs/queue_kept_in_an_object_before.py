from legacy_towers.compat import tf


class Reader(object):
    """Reads numbers of records."""

    def __init__(self, paths, batch_size):
        self.batch_size = batch_size
        self.queue = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
        self.reader = tf.TFRecordReader()

    def read(self):
        _, serialized = self.reader.read(self.queue)
        features = tf.io.parse_single_example(serialized, {
            'id': tf.io.FixedLenFeature([], tf.int64), 'x': tf.io.FixedLenFeature([2], tf.float32)})
        return features['x'] * 2., features['id']

    def next_batch(self):
        x, number = self.read()
        xs, numbers = tf.train.batch([x, number], batch_size=self.batch_size, capacity=30)
        return xs, numbers


class Lines(object):

    def __init__(self, paths):
        self.names = tf.train.string_input_producer(paths, num_epochs=3, shuffle=False)

    def line(self):
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(self.names)
        return tf.strings.length(line)

    def lengths(self, count):
        length = self.line()
        return tf.train.batch([length], count)


def numbers():
    reader = Reader(FILES, 3)
    return reader.next_batch()


FETCHED = [numbers(), Lines(CSV).lengths(2)]
