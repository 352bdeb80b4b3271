from legacy_towers.compat import tf


def read_records(dataset):
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(lambda serialized: tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"])
    return dataset


def read_lines(dataset):
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse(line):
        first, _, _ = tf.decode_csv(line, [[0.0], [0], [""]])
        return tf.stack([first, first])

    dataset = dataset.map(parse)
    return dataset


def image_of(value):
    return tf.reshape(tf.decode_raw(value, tf.uint8), [2, 3])


class Numbers(object):
    def one(self, serialized):
        return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def inputs(kind, files, size):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    read = globals()["read_" + kind]
    dataset = read(dataset)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2))
dataset_2 = tf.data.Dataset.from_tensor_slices(FILES)
dataset_2 = dataset_2.flat_map(tf.data.TFRecordDataset)
dataset = dataset.map(globals()["image_of"])
dataset = dataset.batch(1, drop_remainder=True)
dataset_2 = dataset_2.map(getattr(Numbers(), "one"))
dataset_2 = dataset_2.batch(2, drop_remainder=True)
FETCHED = [inputs("records", FILES, 2), tf.data.make_one_shot_iterator(dataset).get_next(), tf.data.make_one_shot_iterator(dataset_2).get_next()]
