from legacy_towers.compat import tf


def read_image(files, channels):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, value = tf.WholeFileReader().read(queue)
    image = tf.image.decode_png(value, channels=channels)
    image.set_shape([4, 5, channels])
    return image


def batches(images, masks, size):
    image = read_image(images, 3)
    image = tf.to_float(image) / 2.0
    mask = read_image(masks, 1)
    third = read_image(images, 3)
    both = tf.concat([image, tf.to_float(mask)], axis=2)
    image, mask = both[:, :, :3], both[:, :, 3:]
    return tf.train.batch([image, mask, third], size)


def single(images):
    return tf.image.rgb_to_grayscale(read_image(images, 3))


FETCHED = batches(IMAGES, IMAGES[::-1], 3)
