from legacy_towers.compat import tf


def read_record(names):
    class Record(object):
        pass
    result = Record()
    result.height, result.width = 1, 5
    label_bytes, image_bytes = 1, result.height * result.width
    reader = tf.FixedLengthRecordReader(record_bytes=label_bytes + image_bytes, header_bytes=2)
    result.key, value = reader.read(names)
    content = tf.decode_raw(value, tf.uint8)
    result.label = tf.contrib.slim.one_hot_encoding(tf.cast(content[0], tf.int64), 40)
    result.image = tf.reshape(content[label_bytes:], [result.height, result.width])
    return result


names = tf.train.string_input_producer(BINARY, num_epochs=2, shuffle=False)
record = read_record(names)
FETCHED = tf.train.batch([record.image, record.label], 2)
