from legacy_towers.compat import tf


def read_and_decode(filename_queue):
    # One example.
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized_example,
        # Defaults are not specified since both keys are required.
        features={
            'id': tf.FixedLenFeature([], tf.int64),
            'x': tf.FixedLenFeature([2], tf.float32),
        })
    # Convert.
    number = tf.cast(features['id'], tf.int32)
    return features['x'], number


def inputs(train, batch_size):
    with tf.name_scope('input'):
        filename_queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)

        # Even when reading in multiple threads.
        x, number = read_and_decode(filename_queue)
        xs, numbers = tf.train.batch([x, number], batch_size=batch_size)
    return xs, numbers


FETCHED = inputs(True, 4)
