from legacy_towers.compat import tf


def parse(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse_example(serialized):
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        return features["id"], features["x"]

    dataset = dataset.map(parse_example)
    return dataset


def pool(files, size):
    number, values = tf.data.make_one_shot_iterator(parse(files)).get_next()
    found = []
    with tf.Session() as session:
        for _ in range(size):
            one, _ = session.run([number, values])
            found.append(one)
        total = sum(found)
    return found, total


def batches(files):
    dataset = parse(files)
    dataset = dataset.batch(3, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


assert pool(FILES, 4) == ([0, 1, 2, 3], 6)
FETCHED = list(batches(FILES))
