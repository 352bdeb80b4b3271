from legacy_towers.compat import tf


def doubled(names):
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return number * 2


number = doubled(FILES)
FETCHED = tf.train.batch([number], 4)
