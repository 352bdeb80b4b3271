from legacy_towers.compat import tf

CROPS = True

dataset = tf.data.Dataset.from_tensor_slices(IMAGES)
dataset = dataset.map(lambda filename: (filename, tf.read_file(filename)))
def scale(image):
    return tf.to_float(image) * 2.0


def parse(path, content):
    image = tf.image.decode_png(content, channels=3)
    # Augmentation.
    if CROPS:
        size = tf.shape(image)
        image = tf.image.crop_to_bounding_box(image, 0, 0, size[0] - 1, size[1] - 1)
    else:
        image = tf.identity(image)
    image.set_shape([3, 4, 3])
    image = scale(image)
    return image, path


# What the model reads.
dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
images, paths = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [images, paths]
