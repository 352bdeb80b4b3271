from legacy_towers.compat import tf


def inputs(is_read):
    if is_read:
        queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
        _, serialized = tf.TFRecordReader().read(queue)
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        double = number * 2
        number, double = tf.train.batch([number, double], 4)
    else:
        number, double = tf.ones([4], tf.int64), tf.zeros([4], tf.int64)
    return number, double


FETCHED = inputs(True) + inputs(False)
