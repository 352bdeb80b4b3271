from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(lambda filename: tf.data.TFRecordDataset(filename).batch(5))


def parse(records):
    features = tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], -features["id"]


dataset = dataset.map(parse)
dataset = dataset.unbatch()
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = [tf.data.make_one_shot_iterator(dataset).get_next()]
