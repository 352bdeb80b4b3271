from legacy_towers.compat import tf


def inputs(shuffle):
    queue = tf.train.string_input_producer(FILES, shuffle=shuffle, num_epochs=1)
    _, serialized = tf.TFRecordReader().read(queue)
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    if shuffle: return tf.train.shuffle_batch([number], 4, capacity=30, min_after_dequeue=5)
    return tf.train.batch([number], 4)


FETCHED = [tf.concat([inputs(False), inputs(True)], 0)]
