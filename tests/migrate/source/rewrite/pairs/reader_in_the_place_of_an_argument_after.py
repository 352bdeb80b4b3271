from legacy_towers.compat import tf


def read(files, size):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.batch(size)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


class Model(object):
    def __init__(self, size):
        self.size = size

    def batches(self, files):
        return read(files, self.size)


FETCHED = Model(size=3).batches(FILES)
