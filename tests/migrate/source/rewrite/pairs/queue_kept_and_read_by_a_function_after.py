from legacy_towers.compat import tf


def read_image_and_label(line, has_label):
    a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return a * 2.0, label if has_label else n


class Reader:
    def __init__(self, files):
        self.files = files
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.repeat(2)
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
        dataset = dataset.map(lambda line: read_image_and_label(line, True))
        self.dataset = dataset

    def dequeue(self, size):
        dataset = self.dataset
        dataset = dataset.batch(size, drop_remainder=True)
        dataset = dataset.prefetch(1)
        a, label = tf.data.make_one_shot_iterator(dataset).get_next()
        return a, label


reader = Reader(CSV)
FETCHED = reader.dequeue(3)
