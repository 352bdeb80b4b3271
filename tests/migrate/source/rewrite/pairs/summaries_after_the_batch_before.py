from legacy_towers.compat import tf


def batches(number, values, shuffle):
    if shuffle:
        numbers, all_values = tf.train.shuffle_batch([number, values], 4, 20, 4)
    else:
        numbers, all_values = tf.train.batch([number, values], 4)
    # The first value of an example, and of a batch.
    tf.summary.scalar("value", values[0])
    tf.summary.histogram("values", all_values)
    return numbers, all_values


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
FETCHED = list(batches(features["id"], features["x"], False))
SUMMARIES = ["value", "values"]
