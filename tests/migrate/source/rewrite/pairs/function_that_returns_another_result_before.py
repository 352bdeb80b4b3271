from legacy_towers.compat import tf


def decode(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64),
                                                    "x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], features["id"]


def read(filenames):
    queue = tf.train.string_input_producer(filenames, shuffle=False, num_epochs=1)
    _, serialized = tf.TFRecordReader().read(queue)
    return decode(serialized)


def batched(tensors, batch_size):
    return tf.train.batch(tensors, batch_size)


x, number = read(FILES)
FETCHED = batched([x, number], 4)
