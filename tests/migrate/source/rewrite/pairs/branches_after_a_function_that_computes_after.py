from legacy_towers.compat import tf


class Input(object):
    def __init__(self, is_train, files):
        self.is_train = is_train
        self.files = files

    def preprocess(self, values):
        values = tf.cast(values, tf.float64)
        values = values / 2
        return values

    def augment(self, values):
        return tf.negative(values)

    def batches(self, size):
        dataset = tf.data.Dataset.from_tensor_slices(self.files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number, values = self.read(serialized)
            values = self.preprocess(values)
            return number, values

        dataset = dataset.map(parse)
        if self.is_train:
            def parse(number, values):
                values = self.augment(values)
                return number, values

            dataset = dataset.map(parse)
            dataset = dataset.batch(size)
            numbers, batch = tf.data.make_one_shot_iterator(dataset).get_next()
        else:
            dataset = dataset.batch(size, drop_remainder=True)
            numbers, batch = tf.data.make_one_shot_iterator(dataset).get_next()
        return numbers, batch

    def read(self, serialized):
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        return features["id"], features["x"]


FETCHED = list(Input(False, FILES).batches(4) + Input(True, FILES).batches(4))
