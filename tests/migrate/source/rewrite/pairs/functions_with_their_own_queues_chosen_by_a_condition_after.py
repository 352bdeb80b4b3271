from legacy_towers.compat import tf


def read_records(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(record):
        features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})
        return features["id"], features["id"] + 1

    dataset = dataset.map(parse)
    return dataset


def read_lines(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse(line):
        _, number, _ = tf.decode_csv(line, [[0.], [0], [""]])
        number = tf.cast(number, tf.int64)
        return number, number + 2

    dataset = dataset.map(parse)
    return dataset


def batches(files, kind):
    if kind == "lines":
        dataset = read_lines(files)
    elif kind == "records":
        dataset = read_records(files)
    else:
        raise ValueError(kind)

    def parse(first, second):
        second = second * 10
        return first, second

    dataset = dataset.map(parse)
    dataset = dataset.batch(3, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(FILES, "records")
