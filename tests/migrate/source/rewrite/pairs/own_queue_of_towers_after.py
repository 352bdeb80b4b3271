from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(tf.range(12))
dataset = dataset.map(lambda number: (number, number * number))
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.map(lambda numbers, squares: (tf.ensure_shape(numbers, [2]), tf.ensure_shape(squares, [2])))
dataset = dataset.prefetch(4)
batches = tf.data.make_one_shot_iterator(dataset)
FETCHED = []
for tower in range(2):
    with tf.control_dependencies(FETCHED), tf.name_scope("tower_{}".format(tower)):
        x, y = batches.get_next()
        FETCHED += [tf.identity(x), tf.identity(y)]
