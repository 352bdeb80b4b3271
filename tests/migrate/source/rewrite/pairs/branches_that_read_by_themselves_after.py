from legacy_towers.compat import tf


def values_of(kind, size):
    if kind == "records":
        dataset = tf.data.Dataset.from_tensor_slices(FILES)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
            return values

        dataset = dataset.map(parse)
        depth = 1
    elif kind == "lines":
        dataset = tf.data.Dataset.from_tensor_slices(CSV)
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

        def parse(line):
            first, _, _ = tf.decode_csv(line, [[0.0], [0], [""]])
            values = tf.stack([first, first])
            return values

        dataset = dataset.map(parse)
        depth = 2
    else:
        raise ValueError(kind)

    def parse(values):
        values = values * 2.0
        values.set_shape([2])
        return values, values + depth

    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def batches_of(kind, size):
    if kind == "records":
        dataset = tf.data.Dataset.from_tensor_slices(FILES)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

        def parse(serialized):
            number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
            return number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        numbers = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        dataset = tf.data.Dataset.from_tensor_slices(BINARY)
        dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2))

        def parse(value):
            number = tf.decode_raw(value, tf.uint8)[0]
            return number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        numbers = tf.data.make_one_shot_iterator(dataset).get_next()
    return tf.to_float(numbers) + 1.0


FETCHED = [values_of("records", 2), values_of("lines", 1), batches_of("records", 2), batches_of("binary", 1)]
