from legacy_towers.compat import tf


def read(queue, summarizes):
    _, serialized = tf.TFRecordReader().read(queue)
    x = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    if summarizes:
        tf.summary.histogram("x", x)
    return x


x = read(tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1), True)
FETCHED = tf.train.batch([x * 2], 4)
SUMMARIES = ["x"]
