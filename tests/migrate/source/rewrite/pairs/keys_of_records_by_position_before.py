from legacy_towers.compat import tf


def batch(names, is_text=False):
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    reader = tf.TextLineReader() if is_text else tf.TFRecordReader()
    key, record = reader.read(queue)
    return tf.train.batch([key, tf.substr(record, 0, 1)], 2)


def read(queue):
    key, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], key


def read_many(names):
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    keys, rows = tf.TFRecordReader().read_up_to(queue, 3)
    features = tf.parse_example(rows, {"id": tf.FixedLenFeature([], tf.int64)})
    return tf.train.batch([keys, features["id"]], 2, enqueue_many=True)


x, key = read(tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False))
FETCHED = batch(FILES) + tf.train.batch([x, key], 2) + read_many(FILES)
