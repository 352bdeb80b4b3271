from legacy_towers.compat import tf


class Record(object):
    pass


def read_number(queue):
    result = Record()
    result.key, value = tf.TFRecordReader().read(queue)
    result.number = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return result


def read_bytes(queue):
    result = Record()
    result.key, value = tf.FixedLengthRecordReader(6, header_bytes=2).read(queue)
    result.bytes = tf.decode_raw(value, tf.uint8)
    return result


def numbers():
    record = read_number(tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False))
    return tf.train.batch([record.number], 3)


def binary():
    record = read_bytes(tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False))
    record.bytes.set_shape([6])
    return tf.train.batch([record.bytes], 2)


FETCHED = [numbers(), binary()]
