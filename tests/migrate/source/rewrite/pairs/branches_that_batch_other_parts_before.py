from legacy_towers.compat import tf


def batches(files, with_values):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    number = features["id"]
    values = tf.identity(features["x"])
    if with_values:
        numbers, all_values = tf.train.batch([number, values], 4)
        return numbers, all_values
    else:
        numbers = tf.train.batch([number], 4)
        return numbers


FETCHED = [batches(FILES, True), batches(FILES, False)]
