from legacy_towers.compat import tf


def read(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(lambda filename: tf.data.TFRecordDataset(filename).batch(5))
    dataset = dataset.map(lambda records: tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
    return dataset


dataset = read(FILES)
dataset = dataset.unbatch()
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
