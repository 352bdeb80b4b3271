from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices((IMAGES, tf.range(4)))
dataset_2 = tf.data.Dataset.from_tensor_slices((IMAGES[:2], tf.range(2)))


def parse(*first):
    content = tf.read_file(first[0])
    first_image = tf.image.decode_png(content, channels=3)
    first_label = first[1]

    first_image.set_shape([4, 5, 3])
    return first_image, first_label


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
first_batch = tf.data.make_one_shot_iterator(dataset).get_next()


def parse(*second):
    content = tf.read_file(second[0])
    second_image = tf.image.decode_png(content, channels=1)
    second_label = second[1]
    second_image.set_shape([4, 5, 1])
    return second_image, second_label


dataset_2 = dataset_2.map(parse)
dataset_2 = dataset_2.batch(1, drop_remainder=True)
second_batch = tf.data.make_one_shot_iterator(dataset_2).get_next()
FETCHED = [first_batch, second_batch]
