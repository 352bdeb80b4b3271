from legacy_towers.compat import tf

# The files, in order.
dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.repeat(2)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64),  # its number
        "x": tf.FixedLenFeature([2], tf.float32),
    })
    # Twice as much.
    x = features["x"] * 2.
    return features["id"], x


dataset = dataset.map(parse)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
ids, xs = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [ids, xs]
