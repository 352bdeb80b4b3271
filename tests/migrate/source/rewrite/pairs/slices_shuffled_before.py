from legacy_towers.compat import tf

names = list(IMAGES)
name, number = tf.train.slice_input_producer([names, tf.range(len(names))], num_epochs=3)
FETCHED = [tf.train.shuffle_batch([name, number], 2, capacity=20, min_after_dequeue=4)]
