from legacy_towers.compat import tf


def batches(files, with_values, shuffle):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    if not with_values:
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
        number = features["id"]
        if shuffle:
            numbers = tf.train.shuffle_batch([number], 4, 20, 4)
        else:
            numbers = tf.train.batch([number], 4)
        return numbers
    else:
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        number = features["id"]
        values = features["x"] / 2
        if shuffle:
            numbers, all_values = tf.train.shuffle_batch([number, values], 4, 20, 4)
        else:
            numbers, all_values = tf.train.batch([number, values], 4)
        return numbers, all_values


FETCHED = [batches(FILES, False, False), batches(FILES, True, False)]
