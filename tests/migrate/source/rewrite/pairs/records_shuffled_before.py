from legacy_towers.compat import tf


def inputs(files, batch_size, num_epochs=None):
    """Returns batches of ids."""
    filename_queue = tf.train.string_input_producer(files, num_epochs=num_epochs, seed=3)
    reader = tf.TFRecordReader()
    key, value = reader.read(filename_queue)
    features = tf.parse_single_example(value, {"id": tf.FixedLenFeature([], tf.int64)})

    min_after_dequeue = 5
    return tf.train.shuffle_batch(
        [features["id"]],
        batch_size=batch_size,
        num_threads=2,
        # Enough to shuffle well.
        capacity=min_after_dequeue + 3 * batch_size,
        min_after_dequeue=min_after_dequeue,
        allow_smaller_final_batch=True)


FETCHED = [inputs(FILES, 4, num_epochs=2)]
