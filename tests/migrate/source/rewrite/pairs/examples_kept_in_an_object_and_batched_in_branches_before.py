from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, files):
        queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        _, serialized = tf.TFRecordReader().read(queue)
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        self.number = features["id"]
        self.values = features["x"]

    def batches(self, size, is_training):
        capacity = 10 + 3 * size
        if is_training:
            numbers, values = tf.train.shuffle_batch([self.number, self.values], size, capacity, 10)
        else:
            numbers, values = tf.train.batch([self.number, self.values], size, capacity=capacity)
        return numbers, values


FETCHED = Reader(FILES).batches(4, False)
