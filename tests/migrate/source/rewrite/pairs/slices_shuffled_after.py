from legacy_towers.compat import tf

names = list(IMAGES)
dataset = tf.data.Dataset.from_tensor_slices((names, tf.range(len(names))))
dataset = dataset.shuffle(len(names))
dataset = dataset.repeat(3)
dataset = dataset.shuffle(20)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = [tf.data.make_one_shot_iterator(dataset).get_next()]
