from legacy_towers.compat import tf


def read(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "raw": tf.FixedLenFeature([], tf.string)})
    return [tf.decode_raw(features["raw"], tf.uint8), features["id"]]


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
dataset = dataset.map(lambda serialized: tuple(read(serialized)))
dataset = dataset.map(lambda *example: tuple(map(tf.ensure_shape, example, [(3,), ()])))
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
