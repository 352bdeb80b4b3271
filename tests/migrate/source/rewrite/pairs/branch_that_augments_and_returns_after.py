from legacy_towers.compat import tf


def read_example(serialized):
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], features["id"]


def inputs(train, epochs):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.repeat(epochs)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(read_example)
    if train:
        def parse(x, number):
            # Distorts the training examples.
            scale = tf.cast(number, tf.float32)
            x = x * scale
            return x, number

        dataset = dataset.map(parse)
        dataset = dataset.batch(4)
        return tf.data.make_one_shot_iterator(dataset).get_next()

    def parse(x, number):
        x = tf.concat([x, [0.5]], 0)
        return x, number

    dataset = dataset.map(parse)
    dataset = dataset.batch(4)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = [inputs(True, 2), inputs(False, 1)]
