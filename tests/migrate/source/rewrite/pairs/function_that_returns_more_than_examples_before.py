from legacy_towers.compat import tf


def read(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    kinds = {"x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}
    features = tf.parse_single_example(serialized, kinds)
    return features, sorted(kinds.keys())


def lines(paths):
    queue = tf.train.string_input_producer(paths, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return len(paths), number, tf.constant(3), label


def inputs(files, size):
    features, keys = read(files)
    parts = [features[key] for key in keys]
    return tf.train.batch(parts, batch_size=size)


count, value, three, name = lines(CSV)
FETCHED = [inputs(FILES, 3), tf.train.batch([value, three, name], batch_size=count)]
