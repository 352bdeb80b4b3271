from legacy_towers.compat import tf


def inputs(files, batch_size, num_epochs=None):
    """Returns batches of ids."""
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.shuffle(tf.size(files, out_type=tf.int64), seed=3)
    dataset = dataset.repeat(num_epochs)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    min_after_dequeue = 5

    def parse(value):
        features = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})
        return features["id"]

    dataset = dataset.map(parse, num_parallel_calls=2)
    # Enough to shuffle well.
    dataset = dataset.shuffle(min_after_dequeue + 3 * batch_size)
    dataset = dataset.batch(batch_size)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = [inputs(FILES, 4, num_epochs=2)]
