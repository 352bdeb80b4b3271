from legacy_towers.compat import tf


class Training(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        self.dataset = dataset

    def read(self, size):
        dataset = self.dataset
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
            return number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


class TrainingAndTest(Training):
    def __init__(self, files, texts):
        super(TrainingAndTest, self).__init__(files)
        dataset = tf.data.Dataset.from_tensor_slices(texts)
        self.training_and_test_dataset = dataset

    def read_lines(self, size):
        dataset = self.training_and_test_dataset
        dataset = dataset.flat_map(tf.data.TextLineDataset)
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


data = TrainingAndTest(FILES, CSV)
FETCHED = [data.read(3), data.read_lines(2)]
