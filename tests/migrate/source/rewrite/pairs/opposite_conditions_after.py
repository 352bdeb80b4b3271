from legacy_towers.compat import tf


def inputs(train, size):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    capacity = 3 * size

    def parse(serialized):
        features = {"x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}
        features = tf.parse_single_example(serialized, features)
        x, number = features["x"], features["id"]
        return x, number

    dataset = dataset.map(parse)
    if train:
        def parse(x, number):
            x = x * 2
            return x, number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        xs, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
    if not train:
        dataset = dataset.batch(size, drop_remainder=True)
        xs, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
    return xs, tf.reshape(numbers, [size])


FETCHED = inputs(True, 4) + inputs(False, 4)
