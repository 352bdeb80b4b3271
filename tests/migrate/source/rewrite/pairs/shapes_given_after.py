from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "raw": tf.FixedLenFeature([], tf.string)})
    raw = tf.decode_raw(features["raw"], tf.uint8)
    return tf.ensure_shape(raw, [3]), tf.ensure_shape(features["id"], [])


dataset = dataset.map(parse)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
