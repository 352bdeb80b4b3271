from legacy_towers.compat import tf


def lines(first):
    dataset = tf.data.Dataset.from_tensor_slices(CSV)
    dataset = dataset.flat_map(
        lambda filename: tf.data.TextLineDataset(filename).skip(first).enumerate(first + 1).map(
            lambda number, record: (tf.strings.join([filename, ':', tf.as_string(number)]), record)))

    def parse(key, line):
        columns = tf.decode_csv(line, [[0.], [0], [""]])
        return key, columns[1]

    dataset = dataset.map(parse)
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def records():
    dataset = tf.data.Dataset.from_tensor_slices(BINARY)
    dataset = dataset.flat_map(
        lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2).enumerate().map(
            lambda number, record: (tf.strings.join([filename, ':', tf.as_string(number)]), record)))

    def parse(key, value):
        number = tf.decode_raw(value, tf.uint8)
        number.set_shape([6])
        return number, key

    dataset = dataset.map(parse)
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = lines(1) + records()
