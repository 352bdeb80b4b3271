from legacy_towers.compat import tf


def read_record(value):
    class Record(object):
        pass
    result = Record()
    result.height, result.width = 1, 5
    label_bytes, image_bytes = 1, result.height * result.width
    content = tf.decode_raw(value, tf.uint8)
    result.label = tf.contrib.slim.one_hot_encoding(tf.cast(content[0], tf.int64), 40)
    result.image = tf.reshape(content[label_bytes:], [result.height, result.width])
    return result


dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.repeat(2)
dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 1 + 1 * 5, header_bytes=2))


def parse(value):
    record = read_record(value)
    return record.image, record.label


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
