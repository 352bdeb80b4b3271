from legacy_towers.compat import tf

rows = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
dataset = tf.data.Dataset.from_tensor_slices(rows)
dataset = dataset.shuffle(tf.shape(rows, out_type=tf.int64)[0], seed=7)
dataset = dataset.repeat(2)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = [tf.data.make_one_shot_iterator(dataset).get_next()]
