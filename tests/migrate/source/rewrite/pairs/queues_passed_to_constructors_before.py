from legacy_towers.compat import tf


class Decoder(object):
    def __init__(self, queue, factor=1.0):
        self.queue = queue
        self.reader = tf.TFRecordReader()
        self.factor = factor

    def read(self):
        _, serialized = self.reader.read(self.queue)
        values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
        return values * self.factor


class Inputs(object):
    def __init__(self, files, size):
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        self.decoder = Decoder(self.queue, factor=2.0)
        self.size = size

    def batch_of_values(self):
        values = self.decoder.read()
        return tf.train.batch([values], batch_size=self.size)


class Lines(object):
    def __init__(self, queue):
        self.queue = queue

    def batch_of_lines(self, size):
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(self.queue)
        number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
        return tf.train.batch([number, label], size)


class Record(object):
    def __init__(self, queue, size):
        reader = tf.FixedLengthRecordReader(record_bytes=6, header_bytes=2)
        self.key, value = reader.read(queue)
        self.image = tf.reshape(tf.decode_raw(value, tf.uint8), size)


class Images(object):
    def __init__(self, files):
        self.names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)

    def batch_of_images(self):
        record = Record(self.names, [2, 3])
        return tf.train.batch([record.image], 2)


class Numbers(object):
    def __init__(self, queue):
        _, serialized = tf.TFRecordReader().read(queue)
        self.number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]

    def batch_of_numbers(self, size):
        return tf.train.batch([self.number], batch_size=size)


lines = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)
numbers = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
FETCHED = [
    Inputs(FILES, 2).batch_of_values(), Lines(lines).batch_of_lines(2), Images(BINARY).batch_of_images(),
    Numbers(numbers).batch_of_numbers(3),
]
