from legacy_towers.compat import tf


def batches(split, size, epochs=None):
    if split == 'train':
        dataset = tf.data.Dataset.from_tensor_slices(FILES)
        dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
        dataset = dataset.repeat(epochs)
    elif split == 'test':
        # One file is enough.
        dataset = tf.data.Dataset.from_tensor_slices(FILES[:1])
        dataset = dataset.repeat(epochs)
    else:
        raise ValueError('split is train or test, got {}'.format(split))
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        number = tf.io.parse_single_example(serialized, {'id': tf.io.FixedLenFeature([], tf.int64)})['id']
        return number

    dataset = dataset.map(parse)
    if split == 'train':
        dataset = dataset.shuffle(20)
        dataset = dataset.batch(size, drop_remainder=True)
        dataset = dataset.prefetch(1)
        return tf.data.make_one_shot_iterator(dataset).get_next()
    dataset = dataset.batch(size, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches('test', 2, 2)
