from legacy_towers.compat import tf


def read_and_decode(serialized_example):
    # One example.
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
        dataset = tf.data.Dataset.from_tensor_slices(FILES)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        # Even when reading in multiple threads.
        dataset = dataset.map(read_and_decode)
        dataset = dataset.batch(batch_size, drop_remainder=True)
        dataset = dataset.prefetch(1)
        xs, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
    return xs, numbers


FETCHED = inputs(True, 4)
