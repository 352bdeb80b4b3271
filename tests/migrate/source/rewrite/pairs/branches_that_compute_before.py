from legacy_towers.compat import tf


def inputs(size, is_training):
    queue = tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False)
    reader = tf.FixedLengthRecordReader(6, header_bytes=2)
    _, value = reader.read(queue)
    record = tf.decode_raw(value, tf.uint8)
    record.set_shape([6])
    image = tf.cast(record[1:], tf.float32)
    label = tf.cast(record[0], tf.int32)
    if is_training:
        image = image * 0.5
        images, labels = tf.train.batch([image, label], size)
    elif size > 2:
        images, labels = tf.train.batch([image, label], 2)
    else:
        label = label - 1
        images, labels = tf.train.batch([image[:3], label], size)
    return images, labels


FETCHED = [tf.concat([inputs(2, True)[0][:, :3], inputs(3, False)[0][:, :3], inputs(1, False)[0]], 0)]
