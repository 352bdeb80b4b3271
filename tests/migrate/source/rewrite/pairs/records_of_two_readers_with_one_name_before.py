from legacy_towers.compat import tf

reader = tf.WholeFileReader()
with tf.variable_scope("masks"):
    masks = tf.train.string_input_producer(IMAGES[::-1], num_epochs=1, shuffle=False)
    _, value = reader.read(masks)
    mask = tf.image.decode_png(value, channels=1)
    mask.set_shape([4, 5, 1])
with tf.variable_scope("images"):
    images = tf.train.string_input_producer(IMAGES, num_epochs=1, shuffle=False)
    _, value = reader.read(images)
    image = tf.image.decode_png(value, channels=3)
    image.set_shape([4, 5, 3])
FETCHED = tf.train.batch([mask, image], 3, allow_smaller_final_batch=True)
