from legacy_towers.compat import tf


def batches(files, kind):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(
        (lambda filename: tf.data.TextLineDataset(filename).skip(1))
        if kind == "text" else lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2))
    # Two formats.
    dataset = dataset.batch(2)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(BINARY, "binary")
