from legacy_towers.compat import tf


def read_and_decode(filename):
    dataset = tf.data.Dataset.from_tensor_slices([filename])
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64),
                                                        "x": tf.FixedLenFeature([2], tf.float32)})
        x = features["x"]
        return x, features["id"]

    dataset = dataset.map(parse)
    return dataset


dataset = read_and_decode(FILES[0])


def parse(x, number):
    x = x * 2.
    return x, number


dataset = dataset.map(parse)
dataset = dataset.batch(3, drop_remainder=True)
dataset = dataset.prefetch(1)
xs, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [xs, numbers]
