from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    features = tf.parse_single_example(
        serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    is_odd = tf.equal(features["id"] % 2, 1)
    return (features["id"], features["x"]), is_odd


dataset = dataset.map(parse)
dataset = dataset.filter(lambda example, keep: keep)
dataset = dataset.map(lambda example, keep: example)
dataset = dataset.batch(4)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
