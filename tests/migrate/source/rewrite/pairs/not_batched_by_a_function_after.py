from legacy_towers.compat import tf


def read(value):
    features = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})
    scale = tf.get_variable("scale", initializer=tf.ones_initializer(), shape=[])
    return features["id"], tf.cast(features["id"], tf.float32) * scale


def named(key, value):
    return key, tf.strings.length(value)


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)
value = tf.data.make_one_shot_iterator(dataset).get_next()
number, scaled = read(value)
dataset_2 = tf.data.Dataset.from_tensor_slices(FILES)
dataset_2 = dataset_2.map(lambda filename: (filename, tf.read_file(filename)))
key, value = tf.data.make_one_shot_iterator(dataset_2).get_next()
name, size = named(key, value)
FETCHED = [number, scaled, size, tf.stack([name])]
