from legacy_towers.compat import tf

PIXELS = 5


def read_record(filename_queue):
    class Record(object):
        pass
    result = Record()
    label_bytes = 1
    result.width = PIXELS
    record_bytes = label_bytes + result.width
    reader = tf.FixedLengthRecordReader(record_bytes=record_bytes, header_bytes=2)
    result.key, value = reader.read(filename_queue)
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
    result.image = tf.strided_slice(record_bytes, [label_bytes], [label_bytes + PIXELS])
    return result


def _batch(image, label, min_queue_examples, batch_size, shuffle):
    num_threads = 2
    if shuffle:
        images, labels = tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=num_threads,
            capacity=min_queue_examples + 3 * batch_size, min_after_dequeue=min_queue_examples)
    else:
        images, labels = tf.train.batch([image, label], batch_size=batch_size, num_threads=num_threads)
    return images, tf.reshape(labels, [batch_size])


def inputs(batch_size):
    filename_queue = tf.train.string_input_producer(BINARY, num_epochs=1)
    with tf.name_scope('augmentation'):
        read_input = read_record(filename_queue)
        image = tf.cast(read_input.image, tf.float32)
        image = image * 2.
        # Set the shapes of tensors.
        image.set_shape([PIXELS])
        read_input.label.set_shape([1])
        min_queue_examples = int(10 * 0.4)
    return _batch(image, read_input.label, min_queue_examples, batch_size, shuffle=False)


FETCHED = inputs(2)
