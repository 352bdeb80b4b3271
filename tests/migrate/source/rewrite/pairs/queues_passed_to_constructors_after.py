from legacy_towers.compat import tf


class Decoder(object):
    def __init__(self, dataset, factor=1.0):
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        self.dataset = dataset
        self.factor = factor

    def read(self):
        dataset = self.dataset

        def parse(serialized):
            values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
            return values * self.factor

        dataset = dataset.map(parse)
        return dataset


class Inputs(object):
    def __init__(self, files, size):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        self.decoder = Decoder(dataset, factor=2.0)
        self.size = size

    def batch_of_values(self):
        dataset = self.decoder.read()
        dataset = dataset.batch(self.size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


class Lines(object):
    def __init__(self, dataset):
        self.dataset = dataset

    def batch_of_lines(self, size):
        dataset = self.dataset
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

        def parse(line):
            number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
            return number, label

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


class Record(object):
    def __init__(self, value, size):
        self.image = tf.reshape(tf.decode_raw(value, tf.uint8), size)


class Images(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        self.dataset = dataset

    def batch_of_images(self):
        dataset = self.dataset
        dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2))

        def parse(value):
            record = Record(value, [2, 3])
            return record.image

        dataset = dataset.map(parse)
        dataset = dataset.batch(2, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


class Numbers(object):
    def __init__(self, dataset):
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
            return number

        dataset = dataset.map(parse)
        self.dataset = dataset

    def batch_of_numbers(self, size):
        dataset = self.dataset
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset_2 = tf.data.Dataset.from_tensor_slices(FILES)
FETCHED = [
    Inputs(FILES, 2).batch_of_values(), Lines(dataset).batch_of_lines(2), Images(BINARY).batch_of_images(),
    Numbers(dataset_2).batch_of_numbers(3),
]
