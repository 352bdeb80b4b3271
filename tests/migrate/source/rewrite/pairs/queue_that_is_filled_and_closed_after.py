from legacy_towers.compat import tf


class Record(object):
    pass


def read(record_key, value):
    result = Record()
    result.bytes = 6
    result.key = record_key
    number = tf.decode_raw(value, tf.uint8)
    result.number = tf.reshape(number, [6])
    return result


def batches(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(
        lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2).enumerate().map(
            lambda number, record: (tf.strings.join([filename, ':', tf.as_string(number)]), record)))

    def parse(record_key, value):
        record = read(record_key, value)
        return record.number

    dataset = dataset.map(parse)
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def keys(name):
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.from_tensor_slices([name])
        dataset = dataset.flat_map(
            lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2).enumerate().map(
                lambda number, record: (tf.strings.join([filename, ':', tf.as_string(number)]), record)))
        record_key, value = tf.data.make_one_shot_iterator(dataset).get_next()
        result = read(record_key, value)
        found = []
        for number in range(3):
            key, values = session.run([result.key, result.number])
            found.append((key.decode().partition(".bin")[2], values.tolist()))
        try:
            session.run([result.key, result.number])
        except tf.errors.OutOfRangeError:
            return found


assert keys(BINARY[1]) == [(":0", [10, 11, 12, 13, 14, 15]), (":1", [11, 12, 13, 14, 15, 16]), (":2", [12, 13, 14, 15, 16, 17])]
FETCHED = [batches(BINARY)]
