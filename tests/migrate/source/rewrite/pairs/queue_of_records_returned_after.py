from legacy_towers.compat import tf


def prefetch(files, shuffle, capacity, threads=1):
    """Returns the records of files."""
    dataset = tf.data.Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(tf.size(files, out_type=tf.int64))
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    if shuffle:
        dataset = dataset.shuffle(capacity)
    return dataset


class Model(object):
    def __init__(self):
        pass

    def build(self, shuffle):
        dataset = prefetch(FILES, shuffle=shuffle, capacity=10, threads=2)
        dataset = dataset.batch(3, drop_remainder=True)
        dataset = dataset.prefetch(1)
        serialized = tf.data.make_one_shot_iterator(dataset).get_next()
        features = tf.parse_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
        return features["id"]


FETCHED = Model().build(True)
