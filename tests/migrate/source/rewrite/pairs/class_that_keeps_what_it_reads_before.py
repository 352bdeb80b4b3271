from legacy_towers.compat import tf

FEATURES = {"id": tf.FixedLenFeature([], tf.int64)}


class Records(object):
    def __init__(self, files, size):
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        self.reader = tf.TFRecordReader()
        self.key, self.serialized = self.reader.read(self.queue)
        self.features = tf.parse_single_example(self.serialized, FEATURES)
        self.number = self.features["id"]
        number = self.number * 2
        self.numbers, self.doubled = tf.train.batch([self.number, number], size)
        self.size = size

    def sums(self):
        return self.numbers + self.doubled


class Images(object):
    def __init__(self, names, labels):
        self.name, self.label = tf.train.slice_input_producer([names, labels], num_epochs=3, shuffle=False)
        self.image = tf.image.decode_png(tf.read_file(self.name))
        self.images, self.labels = tf.train.batch([self.image, self.label], 3, dynamic_pad=True)


class Lines(object):
    def __init__(self, paths):
        self.number, self.label = self.read(paths)
        self.numbers = tf.train.batch([self.number, self.label], 2)

    def read(self, paths):
        queue = tf.train.string_input_producer(paths, num_epochs=1, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
        return number, label


class Kept(object):
    def __init__(self, files):
        self.number, self.next = self.read(files)

    def read(self, files):
        queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        _, serialized = tf.TFRecordReader().read(queue)
        number = tf.parse_single_example(serialized, FEATURES)["id"]
        return number, number + 1

    def batch(self):
        return tf.train.batch([self.number, self.next], 3)


class Called(object):
    def __init__(self, files):
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        self.reader = tf.TFRecordReader()
        self.read()

    def read(self):
        _, self.serialized = self.reader.read(self.queue)
        self.numbers = tf.train.batch([self.serialized], 3)


records, images = Records(FILES, 3), Images(IMAGES, tf.constant([3, 2, 1, 0]))
FETCHED = [records.sums(), records.numbers, images.images, images.labels, Lines(CSV).numbers, Kept(FILES).batch(),
           Called(FILES).numbers]
