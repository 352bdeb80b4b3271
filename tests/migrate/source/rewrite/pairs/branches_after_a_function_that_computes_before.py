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
        queue = tf.train.string_input_producer(self.files, num_epochs=1, shuffle=False)
        number, values = self.read(queue)
        values = self.preprocess(values)
        if self.is_train:
            values = self.augment(values)
            numbers, batch = tf.train.batch([number, values], size, allow_smaller_final_batch=True)
        else:
            numbers, batch = tf.train.batch([number, values], size)
        return numbers, batch

    def read(self, queue):
        _, serialized = tf.TFRecordReader().read(queue)
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        return features["id"], features["x"]


FETCHED = list(Input(False, FILES).batches(4) + Input(True, FILES).batches(4))
