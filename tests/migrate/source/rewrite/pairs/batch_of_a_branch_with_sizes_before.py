from legacy_towers.compat import tf


def read(queue, is_batched):
    reader = tf.TFRecordReader()
    _, record = reader.read(queue)
    features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64),
                                                "x": tf.FixedLenFeature([2], tf.float32)})
    number, x = features["id"], features["x"]
    if is_batched:
        size = 3
        capacity = 10 + 3 * size
        number, x = tf.train.batch([number, x], batch_size=size, capacity=capacity)
    return number, x


queue = tf.train.string_input_producer(FILES, num_epochs=2, shuffle=False)
numbers, xs = read(queue, is_batched=True)
queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
number, x = read(queue, is_batched=False)
FETCHED = [numbers, xs, tf.stack([number, number, number])]
