from legacy_towers.compat import tf

# Each epoch has the same points.
points = tf.reshape(tf.range(10), [5, 2])
dataset = tf.data.Dataset.from_tensors(points)
dataset = dataset.repeat(2)
dataset = dataset.map(lambda point: (point, tf.square(point)))
dataset = dataset.unbatch()
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
