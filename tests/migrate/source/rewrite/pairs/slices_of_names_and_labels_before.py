from legacy_towers.compat import tf


def read_image(input_queue):
    image = tf.image.decode_png(tf.read_file(input_queue[0]), channels=3)
    image.set_shape([4, 5, 3])
    return image, input_queue[1]


labels = list(range(len(IMAGES)))
input_queue = tf.train.slice_input_producer([IMAGES, labels], num_epochs=1, shuffle=False)
image, label = read_image(input_queue)
images, labels = tf.train.batch([tf.to_float(image), label], batch_size=2)
FETCHED = [images, labels]
