from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
            number = features["id"]
            values = features["x"]
            return number, values

        dataset = dataset.map(parse)
        self.dataset = dataset

    def batches(self, size, is_training):
        capacity = 10 + 3 * size
        dataset = self.dataset
        if is_training:
            dataset = dataset.shuffle(capacity)
            dataset = dataset.batch(size, drop_remainder=True)
            dataset = dataset.prefetch(1)
            numbers, values = tf.data.make_one_shot_iterator(dataset).get_next()
        else:
            dataset = dataset.batch(size, drop_remainder=True)
            dataset = dataset.prefetch(1)
            numbers, values = tf.data.make_one_shot_iterator(dataset).get_next()
        return numbers, values


FETCHED = Reader(FILES).batches(4, False)
