from legacy_towers.compat import tf


def read_image(input_queue):
    image = tf.image.decode_png(tf.read_file(input_queue[0]), channels=3)
    image.set_shape([4, 5, 3])
    return image, input_queue[1]


labels = list(range(len(IMAGES)))
dataset = tf.data.Dataset.from_tensor_slices((IMAGES, labels))


def parse(*input_queue):
    image, label = read_image(input_queue)
    return tf.to_float(image), label


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [images, labels]
