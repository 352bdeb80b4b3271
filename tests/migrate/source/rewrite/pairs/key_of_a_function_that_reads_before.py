from legacy_towers.compat import tf


def get_image(filename_queue):
    reader = tf.WholeFileReader()
    key, value = reader.read(filename_queue)
    image = tf.image.decode_png(value, channels=3)
    image.set_shape([4, 5, 3])
    return key, tf.to_float(image) - 100.


names = tf.train.string_input_producer(IMAGES, num_epochs=1, shuffle=False)
key, image = get_image(filename_queue=names)
FETCHED = tf.train.batch([key, image], batch_size=3, allow_smaller_final_batch=True)
