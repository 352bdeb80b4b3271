from legacy_towers.compat import tf


def batches(has_twice):
    queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    if has_twice:
        example = [features["id"], features["id"] * 2, features["id"] + 1]
    else:
        example = [features["id"], features["id"] + 1]
    batch = tf.train.batch(example, 2)
    return batch[0], batch[-1]


FETCHED = [batches(True), batches(False)]
