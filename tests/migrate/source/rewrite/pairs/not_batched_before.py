from legacy_towers.compat import tf

queue = tf.train.string_input_producer(tf.train.match_filenames_once(FOLDER + "/*.png"), shuffle=False, num_epochs=1)
_, content = tf.WholeFileReader().read(queue)
image = tf.image.decode_png(content)
FETCHED = [image]
