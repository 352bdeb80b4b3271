from legacy_towers.compat import tf


def read_example(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], features["id"]


def inputs(train, epochs):
    queue = tf.train.string_input_producer(FILES, num_epochs=epochs, shuffle=False)
    x, number = read_example(queue)
    if train:
        # Distorts the training examples.
        scale = tf.cast(number, tf.float32)
        x = x * scale
        return tf.train.batch([x, number], 4, capacity=50, allow_smaller_final_batch=True)
    x = tf.concat([x, [0.5]], 0)
    return tf.train.batch([x, number], 4, allow_smaller_final_batch=True)


FETCHED = [inputs(True, 2), inputs(False, 1)]
