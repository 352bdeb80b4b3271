from legacy_towers.compat import tf


class Records(object):
    height, width = 1, 4

    def __init__(self, label_bytes):
        self.label_bytes = label_bytes
        self.record_bytes = self.label_bytes + self.height * self.width
        # The files begin with two bytes of a header.
        self.reader = tf.FixedLengthRecordReader(record_bytes=self.record_bytes, header_bytes=2)

    def read(self, queue):
        key, value = self.reader.read(queue)
        values = tf.decode_raw(value, tf.uint8)
        values.set_shape([self.record_bytes])
        return values[self.label_bytes:], values[0]


records = Records(2)
queue = tf.train.string_input_producer(BINARY, num_epochs=2, shuffle=False)
pixels, label = records.read(queue)
FETCHED = tf.train.batch([pixels, label], 2)
