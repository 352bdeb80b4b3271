from legacy_towers.compat import tf


def read(serialized, summarizes):
    x = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    if summarizes:
        tf.summary.histogram("x", x)
    return x


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    x = read(serialized, True)
    return x * 2


# Its summaries are of examples that are read for them.
parse(tf.data.make_one_shot_iterator(dataset).get_next())
dataset = dataset.map(parse)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
SUMMARIES = ["x"]
