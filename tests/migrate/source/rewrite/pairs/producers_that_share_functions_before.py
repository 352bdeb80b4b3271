from legacy_towers.compat import tf

PIXELS = 5


def read_record(filename_queue):
    class Record(object):
        pass
    result = Record()
    reader = tf.FixedLengthRecordReader(record_bytes=PIXELS + 1, header_bytes=2)
    result.key, value = reader.read(filename_queue)
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.slice(record_bytes, [0], [1]), tf.int32)
    result.image = tf.slice(record_bytes, [1], [PIXELS])
    return result


def _batch(image, label, min_queue_examples, batch_size, shuffle):
    if shuffle:
        images, labels = tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=4,
            capacity=min_queue_examples + 3 * batch_size, min_after_dequeue=min_queue_examples)
    else:
        images, labels = tf.train.batch([image, label], batch_size=batch_size)
    tf.summary.image('images', tf.reshape(images, [batch_size, 1, PIXELS, 1]))
    return images, tf.reshape(labels, [batch_size])


def distorted_inputs(batch_size, shuffle):
    filename_queue = tf.train.string_input_producer(BINARY, num_epochs=2, shuffle=shuffle)
    read_input = read_record(filename_queue)
    image = tf.cast(read_input.image, tf.float32)
    image = tf.reverse(image, [0])
    image.set_shape([PIXELS])
    read_input.label.set_shape([1])
    return _batch(image, read_input.label, 4, batch_size, shuffle=shuffle)


def inputs(is_test, batch_size):
    if is_test:
        filenames = BINARY[1:]
    else:
        filenames = BINARY
    filename_queue = tf.train.string_input_producer(filenames, shuffle=False, num_epochs=3)
    read_input = read_record(filename_queue)
    image = tf.cast(read_input.image, tf.float32)
    image.set_shape([PIXELS])
    read_input.label.set_shape([1])
    return _batch(image, read_input.label, 3, batch_size, shuffle=False)


FETCHED = [distorted_inputs(2, False), inputs(True, 3)]
