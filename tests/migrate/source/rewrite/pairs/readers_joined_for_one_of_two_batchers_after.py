from legacy_towers.compat import tf


def example_from(serialized):
    parsed = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return parsed["id"], tf.size(serialized)


def batches(is_training):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    if is_training:
        dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
    dataset = dataset.repeat(2)
    dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
    dataset = dataset.map(example_from)
    if is_training:
        dataset = dataset.shuffle(20)
        dataset = dataset.batch(4, drop_remainder=True)
        dataset = dataset.prefetch(1)
        return tf.data.make_one_shot_iterator(dataset).get_next()
    dataset = dataset.batch(4)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(True)
