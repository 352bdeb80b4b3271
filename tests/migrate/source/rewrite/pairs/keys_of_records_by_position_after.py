from legacy_towers.compat import tf


def batch(names, is_text=False):
    dataset = tf.data.Dataset.from_tensor_slices(names)
    dataset = dataset.flat_map(
        (lambda filename: tf.data.TextLineDataset(filename).enumerate(1).map(
            lambda number, record: (tf.strings.join([filename, ':', tf.as_string(number)]), record)))
        if is_text else lambda filename: tf.data.TFRecordDataset(filename).apply(tf.data.experimental.scan(
            tf.constant(0, tf.int64), lambda position, record: (
                position + tf.cast(tf.strings.length(record), tf.int64) + 16,
                (tf.strings.join([filename, ':', tf.as_string(position)]), record)))))
    dataset = dataset.map(lambda key, record: (key, tf.substr(record, 0, 1)))
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def read(key, serialized):
    features = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], key


def read_many(names):
    dataset = tf.data.Dataset.from_tensor_slices(names)
    dataset = dataset.flat_map(
        lambda filename: tf.data.TFRecordDataset(filename).apply(tf.data.experimental.scan(
            tf.constant(0, tf.int64), lambda position, record: (
                position + tf.cast(tf.strings.length(record), tf.int64) + 16,
                (tf.strings.join([filename, ':', tf.as_string(position)]), record)))).batch(3))

    def parse(keys, rows):
        features = tf.parse_example(rows, {"id": tf.FixedLenFeature([], tf.int64)})
        return keys, features["id"]

    dataset = dataset.map(parse)
    dataset = dataset.unbatch()
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(
    lambda filename: tf.data.TFRecordDataset(filename).apply(tf.data.experimental.scan(
        tf.constant(0, tf.int64), lambda position, record: (
            position + tf.cast(tf.strings.length(record), tf.int64) + 16,
            (tf.strings.join([filename, ':', tf.as_string(position)]), record)))))
dataset = dataset.map(read)
dataset = dataset.batch(2, drop_remainder=True)
FETCHED = batch(FILES) + tf.data.make_one_shot_iterator(dataset).get_next() + read_many(FILES)
