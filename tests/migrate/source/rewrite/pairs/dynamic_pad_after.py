from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    n = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return tf.range(n), n


dataset = dataset.map(parse)
dataset = dataset.padded_batch(3, tf.data.get_output_shapes(dataset))
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
