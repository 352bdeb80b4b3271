from legacy_towers.compat import tf


class Record(object):
    pass


def read(value):
    result = Record()
    features = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})
    result.number = features["id"]
    result.label = result.number % 3
    return result


def inputs(files, doubled):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.repeat(2)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    size = 2
    if doubled:
        def parse(value):
            # What all branches compute.
            record = read(value)
            number = record.number + 1
            number = number * 2
            return number, record.label

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()

    def parse(value):
        # What all branches compute.
        record = read(value)
        number = record.number + 1
        number = number * 5
        return number, record.label

    dataset = dataset.map(parse)
    dataset = dataset.batch(size + 1, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def images(image, label, is_training):
    image = tf.convert_to_tensor(image)
    dataset = tf.data.Dataset.from_tensor_slices((image, label))
    dataset = dataset.repeat(2)

    def parse(*queue):
        label = queue[1]
        image = tf.image.decode_png(tf.read_file(queue[0]), channels=3)
        if is_training:
            image = tf.image.random_flip_left_right(image, seed=1)
        image = tf.image.resize_image_with_crop_or_pad(image, 2, 2)
        return image, label

    dataset = dataset.map(parse)
    if is_training:
        dataset = dataset.batch(2, drop_remainder=True)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        dataset = dataset.batch(2, drop_remainder=True)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    return images, labels


FETCHED = [inputs(FILES, True), inputs(FILES, False), images(IMAGES, tf.range(4), True)]
