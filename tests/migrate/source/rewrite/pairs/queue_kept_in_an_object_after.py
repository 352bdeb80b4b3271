from legacy_towers.compat import tf


class Reader(object):
    """Reads numbers of records."""

    def __init__(self, paths, batch_size):
        self.batch_size = batch_size
        dataset = tf.data.Dataset.from_tensor_slices(paths)
        dataset = dataset.repeat(2)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        self.dataset = dataset

    def read(self):
        dataset = self.dataset

        def parse(serialized):
            features = tf.io.parse_single_example(serialized, {
                'id': tf.io.FixedLenFeature([], tf.int64), 'x': tf.io.FixedLenFeature([2], tf.float32)})
            return features['x'] * 2., features['id']

        dataset = dataset.map(parse)
        return dataset

    def next_batch(self):
        dataset = self.read()
        dataset = dataset.batch(self.batch_size, drop_remainder=True)
        xs, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
        return xs, numbers


class Lines(object):

    def __init__(self, paths):
        dataset = tf.data.Dataset.from_tensor_slices(paths)
        dataset = dataset.repeat(3)
        self.dataset = dataset

    def line(self):
        dataset = self.dataset
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
        dataset = dataset.map(tf.strings.length)
        return dataset

    def lengths(self, count):
        dataset = self.line()
        dataset = dataset.batch(count, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


def numbers():
    reader = Reader(FILES, 3)
    return reader.next_batch()


FETCHED = [numbers(), Lines(CSV).lengths(2)]
