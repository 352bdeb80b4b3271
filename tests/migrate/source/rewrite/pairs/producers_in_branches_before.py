from legacy_towers.compat import tf


def batches(split, size, epochs=None):
    if split == 'train':
        names = tf.train.string_input_producer(FILES, num_epochs=epochs, shuffle=True)
    elif split == 'test':
        # One file is enough.
        names = tf.train.string_input_producer(FILES[:1], num_epochs=epochs, shuffle=False)
    else:
        raise ValueError('split is train or test, got {}'.format(split))
    _, serialized = tf.TFRecordReader().read(names)
    number = tf.io.parse_single_example(serialized, {'id': tf.io.FixedLenFeature([], tf.int64)})['id']
    if split == 'train':
        return tf.train.shuffle_batch([number], size, 20, 5)
    return tf.train.batch([number], size)


FETCHED = batches('test', 2, 2)
