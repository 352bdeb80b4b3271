from legacy_towers.compat import tf


def read_records(dataset):
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(lambda record: {"n": tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]})
    return dataset


def read_lines(dataset):
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse(line):
        number = tf.decode_csv(line, [[0.], [0], [""]])[1]
        return {"n": tf.cast(number, tf.int64)}

    dataset = dataset.map(parse)
    return dataset


READERS = {"records": read_records, "lines": read_lines}


def batches(files, kind):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = READERS[kind](dataset)
    dataset = dataset.batch(3, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(FILES, "records")
