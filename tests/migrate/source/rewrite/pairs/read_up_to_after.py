from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.repeat(2)
dataset = dataset.flat_map(lambda filename: tf.data.TFRecordDataset(filename).batch(4))
records = tf.data.make_one_shot_iterator(dataset).get_next()
ids = tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
FETCHED = [ids]
