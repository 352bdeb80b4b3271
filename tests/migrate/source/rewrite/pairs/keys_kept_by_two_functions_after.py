from legacy_towers.compat import tf


class Record(object):
    pass


def read_number(value):
    result = Record()
    result.number = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return result


def read_bytes(value):
    result = Record()
    result.bytes = tf.decode_raw(value, tf.uint8)
    return result


def numbers():
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(value):
        record = read_number(value)
        return record.number

    dataset = dataset.map(parse)
    dataset = dataset.batch(3, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def binary():
    dataset = tf.data.Dataset.from_tensor_slices(BINARY)
    dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2))

    def parse(value):
        record = read_bytes(value)
        record.bytes.set_shape([6])
        return record.bytes

    dataset = dataset.map(parse)
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = [numbers(), binary()]
