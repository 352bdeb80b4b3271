from legacy_towers.compat import tf

rows = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
row = tf.train.input_producer(rows, num_epochs=2, shuffle=True, seed=7).dequeue()
FETCHED = [tf.train.batch([row], 2)]
