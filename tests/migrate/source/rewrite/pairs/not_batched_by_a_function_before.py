from legacy_towers.compat import tf


def read(queue):
    reader = tf.TFRecordReader()
    _, value = reader.read(queue)
    features = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})
    scale = tf.get_variable("scale", initializer=tf.ones_initializer(), shape=[])
    return features["id"], tf.cast(features["id"], tf.float32) * scale


def named(queue):
    key, value = tf.WholeFileReader().read(queue)
    return key, tf.strings.length(value)


number, scaled = read(tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False))
name, size = named(tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False))
FETCHED = [number, scaled, size, tf.stack([name])]
