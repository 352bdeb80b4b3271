from legacy_towers.compat import tf


def doubled(names):
    dataset = tf.data.Dataset.from_tensor_slices(names)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return number * 2

    dataset = dataset.map(parse)
    return dataset


dataset = doubled(FILES)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
