from legacy_towers.compat import tf


def read_image(value):
    image = tf.image.decode_png(value, channels=3)
    image.set_shape([4, 5, 3])
    return image


def batches(images, masks):
    dataset = tf.data.Dataset.from_tensor_slices(images)
    dataset = dataset.repeat(2)
    dataset_2 = tf.data.Dataset.from_tensor_slices(masks)
    dataset_2 = dataset_2.repeat(2)
    dataset = dataset.map(tf.read_file)
    dataset_2 = dataset_2.map(tf.read_file)
    dataset = tf.data.Dataset.zip((dataset, dataset_2))

    def parse(value, value_2):
        image = read_image(value)
        mask = read_image(value_2)
        mask = mask[:, :, :1] > 60
        return image, mask

    dataset = dataset.map(parse)
    dataset = dataset.batch(3, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(IMAGES, IMAGES[::-1])
