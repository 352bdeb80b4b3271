from legacy_towers.compat import tf


class Training(object):
    def __init__(self, files):
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)

    def read(self, size):
        _, serialized = tf.TFRecordReader().read(self.queue)
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return tf.train.batch([number], size)


class TrainingAndTest(Training):
    def __init__(self, files, texts):
        super(TrainingAndTest, self).__init__(files)
        self.lines = tf.train.string_input_producer(texts, num_epochs=1, shuffle=False)

    def read_lines(self, size):
        _, line = tf.TextLineReader().read(self.lines)
        return tf.train.batch([line], size)


data = TrainingAndTest(FILES, CSV)
FETCHED = [data.read(3), data.read_lines(2)]
