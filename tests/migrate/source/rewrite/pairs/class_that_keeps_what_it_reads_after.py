from legacy_towers.compat import tf

FEATURES = {"id": tf.FixedLenFeature([], tf.int64)}


class Records(object):
    def __init__(self, files, size):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            features = tf.parse_single_example(serialized, FEATURES)
            example_number = features["id"]
            number = example_number * 2
            return example_number, number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        self.numbers, self.doubled = tf.data.make_one_shot_iterator(dataset).get_next()
        self.size = size

    def sums(self):
        return self.numbers + self.doubled


class Images(object):
    def __init__(self, names, labels):
        dataset = tf.data.Dataset.from_tensor_slices((names, labels))
        dataset = dataset.repeat(3)

        def parse(name, label):
            image = tf.image.decode_png(tf.read_file(name))
            return image, label

        dataset = dataset.map(parse)
        dataset = dataset.padded_batch(3, tf.data.get_output_shapes(dataset), drop_remainder=True)
        self.images, self.labels = tf.data.make_one_shot_iterator(dataset).get_next()


class Lines(object):
    def __init__(self, paths):
        dataset = self.read(paths)
        dataset = dataset.batch(2, drop_remainder=True)
        self.numbers = tf.data.make_one_shot_iterator(dataset).get_next()

    def read(self, paths):
        dataset = tf.data.Dataset.from_tensor_slices(paths)
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

        def parse(line):
            number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
            return number, label

        dataset = dataset.map(parse)
        return dataset


class Kept(object):
    def __init__(self, files):
        self.dataset = self.read(files)

    def read(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number = tf.parse_single_example(serialized, FEATURES)["id"]
            return number, number + 1

        dataset = dataset.map(parse)
        return dataset

    def batch(self):
        dataset = self.dataset
        dataset = dataset.batch(3, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


class Called(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        self.dataset = dataset
        self.read()

    def read(self):
        dataset = self.dataset
        dataset = dataset.batch(3, drop_remainder=True)
        self.numbers = tf.data.make_one_shot_iterator(dataset).get_next()


records, images = Records(FILES, 3), Images(IMAGES, tf.constant([3, 2, 1, 0]))
FETCHED = [records.sums(), records.numbers, images.images, images.labels, Lines(CSV).numbers, Kept(FILES).batch(),
           Called(FILES).numbers]
