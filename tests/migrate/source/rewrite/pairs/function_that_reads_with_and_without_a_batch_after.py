from legacy_towers.compat import tf


def read(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return number, number * 2

    dataset = dataset.map(parse)
    return dataset


def train():
    dataset = read(FILES)
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


number, twice = tf.data.make_one_shot_iterator(read(FILES)).get_next()
FETCHED = list(train()) + [number, twice]
