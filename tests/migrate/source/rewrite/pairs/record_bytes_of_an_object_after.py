from legacy_towers.compat import tf


class Records(object):
    height, width = 1, 4

    def __init__(self, label_bytes):
        self.label_bytes = label_bytes
        self.record_bytes = self.label_bytes + self.height * self.width
        # The files begin with two bytes of a header.

    def read(self, value):
        values = tf.decode_raw(value, tf.uint8)
        values.set_shape([self.record_bytes])
        return values[self.label_bytes:], values[0]


records = Records(2)
dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.repeat(2)
dataset = dataset.flat_map(
    lambda filename: tf.data.FixedLengthRecordDataset(filename, records.record_bytes, header_bytes=2))
dataset = dataset.map(records.read)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
