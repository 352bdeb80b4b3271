from legacy_towers.compat import tf

queue = tf.train.string_input_producer(IMAGES, shuffle=False, num_epochs=2)
reader = tf.WholeFileReader()
name, content = reader.read(queue)
image = tf.image.decode_png(content, channels=3)
image.set_shape([4, 5, 3])
FETCHED = tf.train.batch([image, name], 2)
