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
    names = tf.train.string_input_producer(paths, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(names)
    return decode(serialized, doubled)


def lines(paths):
    names = tf.train.string_input_producer(paths, num_epochs=3, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    features = {}
    features['line'] = line
    features['length'] = tf.strings.length(line)
    return features


x, number = examples(FILES, True)
features = lines(CSV)
FETCHED = [tf.train.batch([x, number], 2), tf.train.batch(features, 3)]
