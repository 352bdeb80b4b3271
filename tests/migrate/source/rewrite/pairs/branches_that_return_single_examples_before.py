from legacy_towers.compat import tf


def read(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    return tf.parse_single_example(serialized, {
        "x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)})


def values_of(files, size, is_batched):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    values = values * 2.0
    if not is_batched:
        return values
    return tf.train.batch([values], batch_size=size)


def inputs(files, mode, size=None):
    features = read(files)
    values, number = features["x"], features["id"]
    if mode == "negative":
        values = -values
    values /= 4.0
    if size is None:
        return values + 1.0, number
    elif mode == "train":
        values = values + 3.0
        values_batch, number_batch = tf.train.batch([values, number], batch_size=size)
    else:
        values_batch, number_batch = tf.train.batch([values, number], batch_size=size)
    return values_batch, number_batch


FETCHED = [
    values_of(FILES, 2, True), values_of(FILES, 2, False), inputs(FILES, "train", 2), inputs(FILES, "test", 2),
    inputs(FILES, "negative"),
]
