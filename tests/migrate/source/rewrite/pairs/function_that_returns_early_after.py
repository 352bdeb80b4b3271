from legacy_towers.compat import tf


def decode(serialized, doubled):
    features = tf.io.parse_single_example(serialized, {
        'id': tf.io.FixedLenFeature([], tf.int64), 'x': tf.io.FixedLenFeature([2], tf.float32)})
    if not doubled:
        return features['x'], features['id']
    return features['x'] * 2., features['id']


def examples(paths, doubled):
    if not paths:
        return None
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(lambda serialized: decode(serialized, doubled))
    return dataset


def lines(paths):
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.repeat(3)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse(line):
        features = {}
        features['line'] = line
        features['length'] = tf.strings.length(line)
        return features

    dataset = dataset.map(parse)
    return dataset


dataset = examples(FILES, True)
dataset_2 = lines(CSV)
dataset = dataset.batch(2, drop_remainder=True)
dataset_2 = dataset_2.batch(3, drop_remainder=True)
FETCHED = [tf.data.make_one_shot_iterator(dataset).get_next(), tf.data.make_one_shot_iterator(dataset_2).get_next()]
