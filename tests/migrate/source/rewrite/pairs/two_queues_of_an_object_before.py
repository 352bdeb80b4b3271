from legacy_towers.compat import tf


class Data(object):
    def __init__(self, files, texts):
        self.train_queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        self.test_queue = tf.train.string_input_producer(texts, num_epochs=1, shuffle=False)

    def for_training(self, size):
        _, serialized = tf.TFRecordReader().read(self.train_queue)
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return tf.train.batch([number], size)

    def for_testing(self, size):
        _, line = tf.TextLineReader(skip_header_lines=1).read(self.test_queue)
        return tf.train.batch([line], size)


data = Data(FILES, CSV)
numbers, lines = data.for_training(3), data.for_testing(2)
FETCHED = [numbers, lines]
