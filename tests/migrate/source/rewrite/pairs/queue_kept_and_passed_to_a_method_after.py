from legacy_towers.compat import tf


class Inputs(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        self.dataset = dataset
        self.scale = 2

    def read(self, record):
        features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})
        return features["id"], features["id"] * self.scale

    def batches(self, size):
        dataset = self.dataset
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(record):
            number, scaled = self.read(record=record)
            scaled = scaled + 1
            return number, scaled

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


class Lines(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        self.dataset = dataset

    def lengths(self):
        dataset = self.dataset
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
        dataset = dataset.map(lambda line: length_of(line, 1))
        dataset = dataset.batch(2, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


def length_of(line, skipped):
    return tf.size(tf.decode_raw(line, tf.uint8))


FETCHED = Inputs(FILES).batches(4), [Lines(CSV).lengths()]
