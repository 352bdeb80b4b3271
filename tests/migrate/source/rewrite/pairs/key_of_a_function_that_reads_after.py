from legacy_towers.compat import tf


def get_image(key, value):
    image = tf.image.decode_png(value, channels=3)
    image.set_shape([4, 5, 3])
    return key, tf.to_float(image) - 100.


dataset = tf.data.Dataset.from_tensor_slices(IMAGES)
dataset = dataset.map(lambda filename: (filename, tf.read_file(filename)))
dataset = dataset.map(lambda key_2, value: get_image(key=key_2, value=value))
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
