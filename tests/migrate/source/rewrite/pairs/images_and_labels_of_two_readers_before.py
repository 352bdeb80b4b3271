from legacy_towers.compat import tf

image_reader = tf.WholeFileReader()
label_reader = tf.TextLineReader(skip_header_lines=1)
image_queue = tf.train.string_input_producer(IMAGES, num_epochs=2, shuffle=False)
label_queue = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)

_, content = image_reader.read(image_queue)
image = tf.image.decode_png(content, channels=3)
image.set_shape([4, 5, 3])
_, line = label_reader.read(label_queue)
_, _, label = tf.decode_csv(line, [[0.0], [0], [""]])

FETCHED = tf.train.batch([image, label], 2)
