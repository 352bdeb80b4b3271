from legacy_towers.compat import tf


def parse(serialized):
    return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]


def augmented(serialized, factor=2.0):
    values = parse(serialized)
    return values * factor


def inputs(files, size, serialized):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse_example(serialized_2):
        values = augmented(serialized_2)
        values = values + serialized
        return values

    dataset = dataset.map(parse_example)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def read_bytes(value, count):
    return tf.decode_raw(value, tf.uint8)


def image(value_2, width, height):
    value = read_bytes(value_2, width * height)
    return tf.reshape(value, [height, width])


def images(value_2):
    return image(value_2=value_2, width=3, height=2)


dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 3 * 2, header_bytes=2))
dataset = dataset.map(images)
dataset = dataset.batch(1, drop_remainder=True)
FETCHED = [inputs(FILES, 2, 0.5), tf.data.make_one_shot_iterator(dataset).get_next()]
