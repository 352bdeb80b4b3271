from legacy_towers.compat import tf


def read_image(files, channels):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.repeat(2)
    dataset = dataset.map(tf.read_file)

    def parse(value):
        image = tf.image.decode_png(value, channels=channels)
        image.set_shape([4, 5, channels])
        return image

    dataset = dataset.map(parse)
    return dataset


def batches(images, masks, size):
    dataset = read_image(images, 3)
    dataset_2 = read_image(masks, 1)
    dataset = tf.data.Dataset.zip((dataset, dataset_2, read_image(images, 3)))

    def parse(image, mask, third):
        image = tf.to_float(image) / 2.0
        both = tf.concat([image, tf.to_float(mask)], axis=2)
        image, mask = both[:, :, :3], both[:, :, 3:]
        return image, mask, third

    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def single(images):
    dataset = read_image(images, 3)
    dataset = dataset.map(tf.image.rgb_to_grayscale)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(IMAGES, IMAGES[::-1], 3)
