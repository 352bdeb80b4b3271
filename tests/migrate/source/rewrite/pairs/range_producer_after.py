from legacy_towers.compat import tf

data = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
dataset = tf.data.Dataset.from_tensor_slices(tf.range(3))
dataset = dataset.repeat(2)
i = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [i, tf.slice(data, [i, 0], [1, 2])]
