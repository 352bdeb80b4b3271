from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)
dataset = dataset.batch(4)
dataset = dataset.prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [tf.parse_example(batch, {"id": tf.FixedLenFeature([], tf.int64)})["id"]]
