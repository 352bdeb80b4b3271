from legacy_towers.compat import tf


def read_row(row):
    a, n, label = tf.decode_csv(row, [[0.], [0], ['']])
    features = {'a': a, 'n': n}
    return features, label


class Loader(object):

    def __init__(self, paths, scope='loader'):
        with tf.variable_scope(scope):
            dataset = tf.data.Dataset.from_tensor_slices(paths)
            dataset = dataset.repeat(3)
            dataset = dataset.flat_map(tf.data.TFRecordDataset)
            self.dataset = dataset

    def get(self):
        dataset = self.dataset

        def parse(serialized):
            features = tf.io.parse_single_example(serialized, {'x': tf.io.FixedLenFeature([2], tf.float32)})
            return features['x'] * (1. / 255) - 0.5

        dataset = dataset.map(parse)
        return dataset

    def batches(self, size):
        dataset = self.get()
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.repeat(3)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))


def parse(row):
    features, label = read_row(row)
    features['label'] = label
    return features


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
FETCHED = [Loader(FILES).batches(4), tf.data.make_one_shot_iterator(dataset).get_next()]
