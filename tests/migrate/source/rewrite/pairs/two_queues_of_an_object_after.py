from legacy_towers.compat import tf


class Data(object):
    def __init__(self, files, texts):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        self.dataset = dataset
        dataset_2 = tf.data.Dataset.from_tensor_slices(texts)
        self.dataset_2 = dataset_2

    def for_training(self, size):
        dataset = self.dataset
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
            return number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()

    def for_testing(self, size):
        dataset = self.dataset_2
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


data = Data(FILES, CSV)
numbers, lines = data.for_training(3), data.for_testing(2)
FETCHED = [numbers, lines]
