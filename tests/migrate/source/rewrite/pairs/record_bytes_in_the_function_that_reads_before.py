from legacy_towers.compat import tf


def read_record(filename_queue):
    class Record(object):
        pass

    result = Record()
    label_bytes = 2
    result.height, result.width, result.depth = 2, 1, 2
    image_bytes = result.height * result.width * result.depth
    record_bytes = label_bytes + image_bytes
    reader = tf.FixedLengthRecordReader(record_bytes, header_bytes=2)
    result.key, value = reader.read(filename_queue)
    values = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(values, [0], [label_bytes]), tf.int32)
    result.image = tf.reshape(tf.strided_slice(values, [label_bytes], [record_bytes]),
                              [result.depth, result.height, result.width])
    return result


queue = tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False)
record = read_record(queue)
record.label.set_shape([2])
FETCHED = tf.train.batch([record.image, record.label], 2)
