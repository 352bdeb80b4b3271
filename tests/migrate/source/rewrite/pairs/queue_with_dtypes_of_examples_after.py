from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    number, half = features["id"], tf.to_float(features["id"]) / 2.0
    return number, half


dataset = dataset.map(parse)
dataset = dataset.prefetch(30)
(number, half) = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = tf.reshape(tf.to_float(number) + half, [])
