from legacy_towers.compat import tf


class Record(object):
    pass


def read(queue):
    result = Record()
    _, value = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})
    result.number = features["id"]
    result.label = result.number % 3
    return result


def inputs(files, doubled):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    # What all branches compute.
    record = read(queue)
    number = record.number + 1
    size = 2
    if doubled:
        number = number * 2
        return tf.train.batch([number, record.label], size)
    number = number * 5
    return tf.train.batch([number, record.label], size + 1)


def images(image, label, is_training):
    image = tf.convert_to_tensor(image)
    queue = tf.train.slice_input_producer([image, label], shuffle=False, num_epochs=2)
    label = queue[1]
    image = tf.image.decode_png(tf.read_file(queue[0]), channels=3)
    if is_training:
        image = tf.image.random_flip_left_right(image, seed=1)
    image = tf.image.resize_image_with_crop_or_pad(image, 2, 2)
    if is_training:
        images, labels = tf.train.batch([image, label], 2, name="training")
    else:
        images, labels = tf.train.batch([image, label], 2)
    return images, labels


FETCHED = [inputs(FILES, True), inputs(FILES, False), images(IMAGES, tf.range(4), True)]
