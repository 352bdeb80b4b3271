from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, files):
        self.files = files

    def feed(self):
        dataset = tf.data.Dataset.from_tensor_slices(self.files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        dataset = dataset.map(self._decode)
        dataset = dataset.batch(4, drop_remainder=True)
        dataset = dataset.prefetch(1)
        return tf.data.make_one_shot_iterator(dataset).get_next()

    def _decode(self, serialized):
        return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"] * 2.


FETCHED = [Reader(FILES).feed()]
