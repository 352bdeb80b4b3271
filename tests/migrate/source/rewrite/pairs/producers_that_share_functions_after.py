from legacy_towers.compat import tf

PIXELS = 5


def read_record(value):
    class Record(object):
        pass
    result = Record()
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.slice(record_bytes, [0], [1]), tf.int32)
    result.image = tf.slice(record_bytes, [1], [PIXELS])
    return result


def _batch(dataset, min_queue_examples, batch_size, shuffle):
    if shuffle:
        dataset = dataset.shuffle(min_queue_examples + 3 * batch_size)
        dataset = dataset.batch(batch_size, drop_remainder=True)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        dataset = dataset.batch(batch_size, drop_remainder=True)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    tf.summary.image('images', tf.reshape(images, [batch_size, 1, PIXELS, 1]))
    return images, tf.reshape(labels, [batch_size])


def distorted_inputs(batch_size, shuffle):
    dataset = tf.data.Dataset.from_tensor_slices(BINARY)
    if shuffle:
        dataset = dataset.shuffle(tf.size(BINARY, out_type=tf.int64))
    dataset = dataset.repeat(2)
    dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, PIXELS + 1, header_bytes=2))

    def parse(value):
        read_input = read_record(value)
        image = tf.cast(read_input.image, tf.float32)
        image = tf.reverse(image, [0])
        image.set_shape([PIXELS])
        read_input.label.set_shape([1])
        return image, read_input.label

    dataset = dataset.map(parse)
    return _batch(dataset, 4, batch_size, shuffle=shuffle)


def inputs(is_test, batch_size):
    if is_test:
        filenames = BINARY[1:]
    else:
        filenames = BINARY
    dataset = tf.data.Dataset.from_tensor_slices(filenames)
    dataset = dataset.repeat(3)
    dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, PIXELS + 1, header_bytes=2))

    def parse(value):
        read_input = read_record(value)
        image = tf.cast(read_input.image, tf.float32)
        image.set_shape([PIXELS])
        read_input.label.set_shape([1])
        return image, read_input.label

    dataset = dataset.map(parse)
    return _batch(dataset, 3, batch_size, shuffle=False)


FETCHED = [distorted_inputs(2, False), inputs(True, 3)]
