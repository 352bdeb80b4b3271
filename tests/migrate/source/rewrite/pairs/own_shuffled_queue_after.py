from legacy_towers.compat import tf


def inputs(files, batch_size, num_threads=2):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.shuffle(tf.size(files, out_type=tf.int64))
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
        return tf.ensure_shape(features["id"] + 1, [])

    dataset = dataset.map(parse, num_parallel_calls=num_threads)
    dataset = dataset.shuffle(30)
    dataset = dataset.batch(batch_size, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = inputs(FILES, 3)
