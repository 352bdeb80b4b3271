from legacy_towers.compat import tf


def batches(dataset, shuffle):
    def parse(number, values):
        # The first value of an example, and of a batch.
        tf.summary.scalar("value", values[0])
        return number, values

    # Its summaries are of examples that are read for them.
    parse(*tf.data.make_one_shot_iterator(dataset).get_next())
    dataset = dataset.map(parse)
    if shuffle:
        dataset = dataset.shuffle(20)
        dataset = dataset.batch(4, drop_remainder=True)
        dataset = dataset.prefetch(1)
        numbers, all_values = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        dataset = dataset.batch(4, drop_remainder=True)
        dataset = dataset.prefetch(1)
        numbers, all_values = tf.data.make_one_shot_iterator(dataset).get_next()
    tf.summary.histogram("values", all_values)
    return numbers, all_values


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["id"], features["x"]


dataset = dataset.map(parse)
FETCHED = list(batches(dataset, False))
SUMMARIES = ["value", "values"]
