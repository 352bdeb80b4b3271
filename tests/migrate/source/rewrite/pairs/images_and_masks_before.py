from legacy_towers.compat import tf


def read_image(queue):
    _, value = tf.WholeFileReader().read(queue)
    image = tf.image.decode_png(value, channels=3)
    image.set_shape([4, 5, 3])
    return image


def batches(images, masks):
    image_queue = tf.train.string_input_producer(images, num_epochs=2, shuffle=False)
    mask_queue = tf.train.string_input_producer(masks, num_epochs=2, shuffle=False)
    image = read_image(image_queue)
    mask = read_image(mask_queue)
    mask = mask[:, :, :1] > 60
    return tf.train.batch([image, mask], 3, num_threads=1)


FETCHED = batches(IMAGES, IMAGES[::-1])
