from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
dataset = dataset.map(lambda line: tuple(tf.decode_csv(line, [[0.0], [0], [""]])))
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
