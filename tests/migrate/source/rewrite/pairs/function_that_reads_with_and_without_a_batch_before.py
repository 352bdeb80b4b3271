from legacy_towers.compat import tf


def read(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return number, number * 2


def train():
    number, twice = read(FILES)
    return tf.train.batch([number, twice], 2)


number, twice = read(FILES)
FETCHED = list(train()) + [number, twice]
