from legacy_towers.compat import tf

data = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
i = tf.train.range_input_producer(3, num_epochs=2, shuffle=False).dequeue()
FETCHED = [i, tf.slice(data, [i, 0], [1, 2])]
