from legacy_towers.compat import tf


class Images(object):
    def __init__(self, names, labels, size):
        self.size = size
        # Names and labels.
        self.name, self.label = tf.train.slice_input_producer([names, labels], num_epochs=2, shuffle=False)

    def batch(self):
        image = tf.image.decode_png(tf.read_file(self.name), channels=3)
        image = tf.image.resize_image_with_crop_or_pad(image, 2, 2)
        with tf.name_scope("batch"):
            return tf.train.batch([image, self.label], self.size)


class Records(object):
    def __init__(self, files):
        self.reader = tf.TFRecordReader()
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        self.read()
        self.make_batch(3)

    def read(self):
        key, self.serialized = self.reader.read(self.queue)
        self.features = tf.parse_single_example(self.serialized, {"id": tf.FixedLenFeature([], tf.int64)})

    def make_batch(self, size):
        number = self.features["id"]
        self.numbers = tf.train.batch([number, number * number], size)


FETCHED = [Images(IMAGES, tf.constant([3, 2, 1, 0]), 2).batch(), Records(FILES).numbers]
