from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    features = tf.io.parse_single_example(serialized, {'id': tf.io.FixedLenFeature([], tf.int64)})
    number = features['id'] + 1
    return number


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
