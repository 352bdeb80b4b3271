from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, files):
        self.files = files
        self.reader = tf.TFRecordReader()

    def feed(self):
        queue = tf.train.string_input_producer(self.files, shuffle=False, num_epochs=1)
        _, serialized = self.reader.read(queue)
        image = self._decode(serialized)
        return tf.train.batch([image], 4)

    def _decode(self, serialized):
        return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"] * 2.


FETCHED = [Reader(FILES).feed()]
