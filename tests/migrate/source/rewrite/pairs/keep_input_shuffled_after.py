from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(tf.range(12))
dataset = dataset.map(lambda n: (n, n >= 3), num_parallel_calls=4)
dataset = dataset.filter(lambda example, keep: keep)
dataset = dataset.map(lambda example, keep: example)
dataset = dataset.shuffle(8)
dataset = dataset.batch(3, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
