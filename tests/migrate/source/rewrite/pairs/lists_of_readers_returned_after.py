from legacy_towers.compat import tf


def read(record):
    features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], features["id"] + 1


def readers(files, count):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=count)
    dataset = dataset.map(read)
    return dataset


def batches(files):
    dataset = readers(files, 2)
    dataset = dataset.shuffle(12)
    dataset = dataset.batch(4, drop_remainder=True)
    dataset = dataset.prefetch(1)
    numbers, others = tf.data.make_one_shot_iterator(dataset).get_next()
    return numbers, others


FETCHED = batches(FILES)
