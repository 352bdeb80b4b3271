from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(IMAGES)
dataset = dataset.repeat(2)
dataset = dataset.map(lambda filename: (filename, tf.read_file(filename)))


def parse(name, content):
    image = tf.image.decode_png(content, channels=3)
    image.set_shape([4, 5, 3])
    return image, name


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
