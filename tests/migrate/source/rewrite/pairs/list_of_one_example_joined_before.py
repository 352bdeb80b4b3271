from legacy_towers.compat import tf


def join(examples):
    pairs = []
    for number, x in examples:
        pairs.append([number + 1, x])
    return tf.train.batch_join(pairs, 4)


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
features = {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)}
features = tf.parse_single_example(serialized, features)
examples = []
examples.append([features["id"] * 2, features["x"]])
FETCHED = join(examples)
