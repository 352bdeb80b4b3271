from legacy_towers.compat import tf

HEIGHT = 2


def read_record(filename_queue, label_bytes=1, height=HEIGHT):
    image_bytes = height * 2
    reader = tf.FixedLengthRecordReader(record_bytes=label_bytes + image_bytes, header_bytes=2)
    _, value = reader.read(filename_queue)
    values = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.strided_slice(values, [0], [label_bytes]), tf.int32)
    image = tf.strided_slice(values, [label_bytes], [label_bytes + image_bytes])
    image.set_shape([image_bytes])
    label.set_shape([label_bytes])
    return image, label


queue = tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False)
image, label = read_record(queue, label_bytes=2)
FETCHED = tf.train.batch([image, label], 2)
