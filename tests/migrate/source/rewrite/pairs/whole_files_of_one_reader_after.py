from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(IMAGES[:2])
dataset = dataset.repeat(2)
dataset_2 = tf.data.Dataset.from_tensor_slices(IMAGES[1:])
dataset_2 = dataset_2.repeat(2)
dataset_2 = dataset_2.map(tf.read_file)
dataset = dataset.map(tf.read_file)


def parse(first):
    first_image = tf.reshape(tf.image.decode_png(first), [4, 5, 3])
    return first_image


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
first_batch = tf.data.make_one_shot_iterator(dataset).get_next()


def parse(second):
    second_image = tf.reshape(tf.image.decode_png(second), [4, 5, 3])
    return second_image


dataset_2 = dataset_2.map(parse)
dataset_2 = dataset_2.batch(2, drop_remainder=True)
FETCHED = [first_batch, tf.data.make_one_shot_iterator(dataset_2).get_next()]
