from legacy_towers.compat import tf


def read(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    kinds = {"x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}

    def parse(serialized):
        features = tf.parse_single_example(serialized, kinds)
        return features

    dataset = dataset.map(parse)
    return dataset, sorted(kinds.keys())


def lines(paths):
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse(line):
        number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
        return number, tf.constant(3), label

    dataset = dataset.map(parse)
    return dataset, len(paths)


def inputs(files, size):
    dataset, keys = read(files)

    def parse(features):
        parts = [features[key] for key in keys]
        return tuple(parts)

    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset, count = lines(CSV)
dataset = dataset.batch(count, drop_remainder=True)
FETCHED = [inputs(FILES, 3), tf.data.make_one_shot_iterator(dataset).get_next()]
