from legacy_towers.compat import tf


class Input(object):
    def __init__(self, files, train):
        self.train = train
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.repeat(2)
        self.dataset = dataset

    def example(self):
        dataset = self.dataset
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
            if self.train:
                number = number * 2
            return number

        dataset = dataset.map(parse)
        return dataset

    def batch(self):
        dataset = self.example()
        if self.train:
            dataset = dataset.batch(3, drop_remainder=True)
            return tf.data.make_one_shot_iterator(dataset).get_next()
        dataset = dataset.batch(2)
        return tf.data.make_one_shot_iterator(dataset).get_next()


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
