from legacy_towers.compat import tf

with tf.variable_scope("masks"):
    dataset = tf.data.Dataset.from_tensor_slices(IMAGES[::-1])
    dataset = dataset.map(tf.read_file)
with tf.variable_scope("images"):
    dataset_2 = tf.data.Dataset.from_tensor_slices(IMAGES)
    dataset_2 = dataset_2.map(tf.read_file)
    dataset = tf.data.Dataset.zip((dataset, dataset_2))


def parse(value, value_2):
    mask = tf.image.decode_png(value, channels=1)
    mask.set_shape([4, 5, 1])
    image = tf.image.decode_png(value_2, channels=3)
    image.set_shape([4, 5, 3])
    return mask, image


dataset = dataset.map(parse)
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
