from legacy_towers.compat import tf

first_queue = tf.train.string_input_producer(IMAGES[:2], num_epochs=2, shuffle=False)
second_queue = tf.train.string_input_producer(IMAGES[1:], num_epochs=2, shuffle=False)
reader = tf.WholeFileReader()
_, first = reader.read(first_queue)
_, second = reader.read(second_queue)
first_image = tf.reshape(tf.image.decode_png(first), [4, 5, 3])
second_image = tf.reshape(tf.image.decode_png(second), [4, 5, 3])
first_batch = tf.train.batch([first_image], 2)
FETCHED = [first_batch, tf.train.batch([second_image], 2)]
