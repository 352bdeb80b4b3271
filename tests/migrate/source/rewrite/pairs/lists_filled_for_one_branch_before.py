from legacy_towers.compat import tf


def inputs(has_numbers):
    queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    xs, numbers = [], []
    for shift in range(3):
        if has_numbers:
            features = {"x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}
        else:
            features = {"x": tf.FixedLenFeature([2], tf.float32)}
        features = tf.parse_single_example(serialized, features)
        xs.append(features["x"] + shift)
        if has_numbers:
            numbers.append(features["id"])
    xs = tf.stack(xs)
    if has_numbers:
        numbers = tf.stack(numbers)
        [x_batch, number_batch] = tf.train.batch([xs, numbers], 4)
        return x_batch, tf.reduce_sum(number_batch, axis=1)
    else:
        x_batch = tf.train.batch([xs], 4)
        return x_batch, tf.zeros([4])


FETCHED = inputs(True) + inputs(False)
