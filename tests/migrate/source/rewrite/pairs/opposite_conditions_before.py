from legacy_towers.compat import tf


def inputs(train, size):
    queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    features = {"x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}
    features = tf.parse_single_example(serialized, features)
    x, number = features["x"], features["id"]
    capacity = 3 * size
    if train:
        x = x * 2
        xs, numbers = tf.train.batch([x, number], size, capacity=capacity)
    if not train:
        xs, numbers = tf.train.batch([x, number], size, capacity=capacity)
    return xs, tf.reshape(numbers, [size])


FETCHED = inputs(True, 4) + inputs(False, 4)
