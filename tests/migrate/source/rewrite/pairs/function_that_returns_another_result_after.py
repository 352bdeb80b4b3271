from legacy_towers.compat import tf


def decode(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64),
                                                    "x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], features["id"]


def read(filenames):
    dataset = tf.data.Dataset.from_tensor_slices(filenames)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(decode)
    return dataset


def batched(dataset, batch_size):
    dataset = dataset.batch(batch_size, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = read(FILES)
FETCHED = batched(dataset, 4)
