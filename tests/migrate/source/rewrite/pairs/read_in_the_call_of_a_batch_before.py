from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["id"], features["x"]


def batches(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    return tf.train.batch(read(queue), 4, num_threads=1)


FETCHED = batches(FILES)
