from legacy_towers.compat import tf


def parse(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], tf.size(serialized)


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
dataset = dataset.flat_map(tf.data.TFRecordDataset)
dataset = dataset.map(parse, num_parallel_calls=4)
dataset = dataset.shuffle(20)
dataset = dataset.batch(5)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
