from legacy_towers.compat import tf


def inputs(is_read):
    if is_read:
        dataset = tf.data.Dataset.from_tensor_slices(FILES)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
            double = number * 2
            return number, double

        dataset = dataset.map(parse)
        dataset = dataset.batch(4, drop_remainder=True)
        number, double = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        number, double = tf.ones([4], tf.int64), tf.zeros([4], tf.int64)
    return number, double


FETCHED = inputs(True) + inputs(False)
