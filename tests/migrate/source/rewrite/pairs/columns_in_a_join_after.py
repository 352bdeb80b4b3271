from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(sorted(CSV))
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
defaults = [[0.0], [0], ["none"]]
dataset = dataset.map(lambda line: tuple(tf.decode_csv(line, record_defaults=defaults)), num_parallel_calls=2)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
a, n, label = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [a, n, label]
