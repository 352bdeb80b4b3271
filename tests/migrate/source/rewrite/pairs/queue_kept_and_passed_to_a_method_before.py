from legacy_towers.compat import tf


class Inputs(object):
    def __init__(self, files):
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        self.scale = 2

    def read(self, queue):
        reader = tf.TFRecordReader()
        _, record = reader.read(queue)
        features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})
        return features["id"], features["id"] * self.scale

    def batches(self, size):
        number, scaled = self.read(queue=self.queue)
        scaled = scaled + 1
        return tf.train.batch([number, scaled], size)


class Lines(object):
    def __init__(self, files):
        self.names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)

    def lengths(self):
        length = length_of(self.names, 1)
        return tf.train.batch([length], 2)


def length_of(queue, skipped):
    _, line = tf.TextLineReader(skip_header_lines=skipped).read(queue)
    return tf.size(tf.decode_raw(line, tf.uint8))


FETCHED = Inputs(FILES).batches(4), [Lines(CSV).lengths()]
