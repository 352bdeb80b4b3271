from legacy_towers.compat import tf


def batches(is_training):
    if is_training:
        names = FILES
        dataset = tf.data.Dataset.from_tensor_slices(names)
        dataset = dataset.shuffle(tf.size(names, out_type=tf.int64))
        dataset = dataset.repeat(2)
    else:
        dataset = tf.data.Dataset.from_tensor_slices(CSV)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
    dataset = dataset.map(lambda line: (line, tf.size(tf.string_split([line]))))
    dataset = dataset.batch(3, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(is_training=False)
