from legacy_towers.compat import tf

if len(IMAGES) > 100:
    name, label = tf.train.slice_input_producer([IMAGES, list(range(len(IMAGES)))], num_epochs=1)
elif len(IMAGES) > 1:
    name, label = tf.train.slice_input_producer([IMAGES, list(range(len(IMAGES)))], num_epochs=2, shuffle=False)
else:
    raise ValueError("no images")
image = tf.cast(tf.image.decode_png(tf.read_file(name), channels=3), tf.float32)
image.set_shape([4, 5, 3])
FETCHED = tf.train.batch([image, label], 3)
