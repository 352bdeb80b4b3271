from legacy_towers.compat import tf


def read_record(value):
    class Record(object):
        pass

    result = Record()
    label_bytes = 2
    result.height, result.width, result.depth = 2, 1, 2
    image_bytes = result.height * result.width * result.depth
    record_bytes = label_bytes + image_bytes
    values = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(values, [0], [label_bytes]), tf.int32)
    result.image = tf.reshape(tf.strided_slice(values, [label_bytes], [record_bytes]),
                              [result.depth, result.height, result.width])
    return result


dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 2 + 2 * 1 * 2, header_bytes=2))


def parse(value):
    record = read_record(value)
    record.label.set_shape([2])
    return record.image, record.label


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
