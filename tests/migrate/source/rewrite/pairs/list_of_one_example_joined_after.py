from legacy_towers.compat import tf


def join(dataset):
    dataset = dataset.map(lambda number, x: (number + 1, x))
    dataset = dataset.batch(4, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    features = {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)}
    features = tf.parse_single_example(serialized, features)
    return features["id"] * 2, features["x"]


dataset = dataset.map(parse)
FETCHED = join(dataset)
