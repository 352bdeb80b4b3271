from legacy_towers.compat import tf


def batches(names, size):
    dataset = tf.data.Dataset.from_tensor_slices(names)
    dataset = dataset.flat_map(tf.data.TextLineDataset)
    dataset = dataset.batch(size, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(CSV, 4)
