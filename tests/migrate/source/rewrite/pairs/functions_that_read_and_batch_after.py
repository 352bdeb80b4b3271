from legacy_towers.compat import tf

PIXELS = 5


def read_record(value):
    class Record(object):
        pass
    result = Record()
    label_bytes = 1
    result.width = PIXELS
    record_bytes = label_bytes + result.width
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
    result.image = tf.strided_slice(record_bytes, [label_bytes], [label_bytes + PIXELS])
    return result


def _batch(dataset, min_queue_examples, batch_size, shuffle):
    num_threads = 2
    if shuffle:
        dataset = dataset.shuffle(min_queue_examples + 3 * batch_size)
        dataset = dataset.batch(batch_size, drop_remainder=True)
        dataset = dataset.prefetch(1)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        dataset = dataset.batch(batch_size, drop_remainder=True)
        dataset = dataset.prefetch(1)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    return images, tf.reshape(labels, [batch_size])


def inputs(batch_size):
    dataset = tf.data.Dataset.from_tensor_slices(BINARY)
    dataset = dataset.shuffle(tf.size(BINARY, out_type=tf.int64))
    with tf.name_scope('augmentation'):
        dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 1 + PIXELS, header_bytes=2))
        min_queue_examples = int(10 * 0.4)

    def parse(value):
        read_input = read_record(value)
        image = tf.cast(read_input.image, tf.float32)
        image = image * 2.
        # Set the shapes of tensors.
        image.set_shape([PIXELS])
        read_input.label.set_shape([1])
        return image, read_input.label

    dataset = dataset.map(parse)
    return _batch(dataset, min_queue_examples, batch_size, shuffle=False)


FETCHED = inputs(2)
