from legacy_towers.compat import tf


def read(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(lambda serialized: tf.parse_single_example(serialized, {
        "x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}))
    return dataset


def values_of(files, size, is_batched):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
        values = values * 2.0
        return values

    dataset = dataset.map(parse)
    if not is_batched:
        values = tf.data.make_one_shot_iterator(dataset).get_next()
        return values
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def inputs(files, mode, size=None):
    dataset = read(files)

    def parse(features):
        values, number = features["x"], features["id"]
        if mode == "negative":
            values = -values
        values /= 4.0
        return values, number

    dataset = dataset.map(parse)
    if size is None:
        values, number = tf.data.make_one_shot_iterator(dataset).get_next()
        return values + 1.0, number
    elif mode == "train":
        def parse(values, number):
            values = values + 3.0
            return values, number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        values_batch, number_batch = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        dataset = dataset.batch(size, drop_remainder=True)
        values_batch, number_batch = tf.data.make_one_shot_iterator(dataset).get_next()
    return values_batch, number_batch


FETCHED = [
    values_of(FILES, 2, True), values_of(FILES, 2, False), inputs(FILES, "train", 2), inputs(FILES, "test", 2),
    inputs(FILES, "negative"),
]
