from legacy_towers.compat import tf


class Input(object):
    def __init__(self, files, train):
        self.train = train
        self.names = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)

    def example(self):
        _, serialized = tf.TFRecordReader().read(self.names)
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        if self.train:
            number = number * 2
        return number

    def batch(self):
        number = self.example()
        if self.train:
            return tf.train.batch([number], 3)
        return tf.train.batch([number], 2, allow_smaller_final_batch=True)


class Data(object):
    def __init__(self):
        self.train = Input(FILES, True)
        self.test = Input(FILES[:1], False)


class Model(object):
    def __init__(self):
        self.data = Input(FILES[::-1], True)
        self.numbers = self.data.batch()


data = Data()
FETCHED = [data.train.batch(), data.test.batch(), Model().numbers]
