from legacy_towers.compat import tf


def read_ids(dataset):
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(lambda record: tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
    return dataset


def read_sizes(dataset):
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(lambda record: tf.cast(tf.size(tf.decode_raw(record, tf.uint8)), tf.int64))
    return dataset


def batches(files, read, size=3):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = read(dataset)
    dataset = dataset.batch(size)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(FILES, read_ids), batches(FILES, read=read_sizes)
