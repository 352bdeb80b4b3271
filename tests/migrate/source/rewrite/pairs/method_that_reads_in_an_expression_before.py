from legacy_towers.compat import tf


class Records(object):
    def __init__(self, files):
        self.reader = tf.TFRecordReader()
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)

    def next(self):
        _, serialized = self.reader.read(self.queue)
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
        return tf.multiply(features["id"], 2)

    def numbers(self, size):
        # The examples of one step.
        return tf.train.batch([self.next()], size, capacity=4 * size)


class Images(object):
    def __init__(self, files):
        self.reader = tf.WholeFileReader()
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)

    def image(self):
        _, content = self.reader.read(self.queue)
        return tf.image.decode_png(content, 3)

    def images(self, size):
        scaled = tf.image.resize_images(
            self.image(), [2, 2]) * 0.5
        return tf.train.batch([scaled], size)


FETCHED = [Records(FILES).numbers(3), Images(IMAGES).images(2)]
