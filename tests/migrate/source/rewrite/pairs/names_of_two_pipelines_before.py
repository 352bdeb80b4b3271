from legacy_towers.compat import tf

first = tf.train.slice_input_producer([IMAGES, tf.range(4)], shuffle=False, num_epochs=1)
second = tf.train.slice_input_producer([IMAGES[:2], tf.range(2)], shuffle=False, num_epochs=1)

content = tf.read_file(first[0])
first_image = tf.image.decode_png(content, channels=3)
first_label = first[1]
content = tf.read_file(second[0])
second_image = tf.image.decode_png(content, channels=1)
second_label = second[1]

first_image.set_shape([4, 5, 3])
second_image.set_shape([4, 5, 1])
first_batch = tf.train.batch([first_image, first_label], 2)
second_batch = tf.train.batch([second_image, second_label], 1)
FETCHED = [first_batch, second_batch]
