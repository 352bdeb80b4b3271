from legacy_towers.compat import tf

CROPS = True

path, content = tf.WholeFileReader().read(tf.train.string_input_producer(IMAGES, num_epochs=1, shuffle=False))
image = tf.image.decode_png(content, channels=3)
# Augmentation.
with tf.name_scope("augment"):
    with tf.variable_scope("crop"):
        if CROPS:
            size = tf.shape(image)
            image = tf.image.crop_to_bounding_box(image, 0, 0, size[0] - 1, size[1] - 1)
        else:
            image = tf.identity(image)
    image.set_shape([3, 4, 3])
def scale(image):
    return tf.to_float(image) * 2.0
image = scale(image)

# What the model reads.
images, paths = tf.train.batch([image, path], 2)
FETCHED = [images, paths]
