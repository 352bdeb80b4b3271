from legacy_towers.compat import tf


def read(files, train):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    if train:
        number = tf.add(number, 100)
    return number, tf.multiply(number, 2)


a, a_twice = read(FILES, True)
b, b_twice = read(FILES[:1], False)
a_batch, a_twice_batch = tf.train.batch([a, a_twice], batch_size=2)
b_batch, b_twice_batch = tf.train.batch([b, b_twice], batch_size=3)
FETCHED = [a_batch, a_twice_batch, b_batch, b_twice_batch]
