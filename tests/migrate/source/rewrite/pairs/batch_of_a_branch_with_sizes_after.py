from legacy_towers.compat import tf


def read(dataset, is_batched):
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(record):
        features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64),
                                                    "x": tf.FixedLenFeature([2], tf.float32)})
        number, x = features["id"], features["x"]
        return number, x

    if is_batched:
        size = 3
        capacity = 10 + 3 * size
        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        number, x = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        record = tf.data.make_one_shot_iterator(dataset).get_next()
        number, x = parse(record)
    return number, x


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.repeat(2)
numbers, xs = read(dataset, is_batched=True)
dataset_2 = tf.data.Dataset.from_tensor_slices(FILES)
number, x = read(dataset_2, is_batched=False)
FETCHED = [numbers, xs, tf.stack([number, number, number])]
