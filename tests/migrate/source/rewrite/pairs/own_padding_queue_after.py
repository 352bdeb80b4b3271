from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    pairs = tf.stack([tf.range(number), tf.range(number)], axis=1)
    return tf.ensure_shape(pairs, (None, 2)), tf.ensure_shape(number, ())


dataset = dataset.map(parse)
dataset = dataset.padded_batch(4, tf.data.get_output_shapes(dataset), drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
