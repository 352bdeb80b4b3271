from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    n = tf.to_int32(tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
    # Numbers of the buckets 0 and 1; those from 8 are left out.
    number = n // 4
    return number, (tf.range(n), n * 2)


dataset = dataset.map(parse)
dataset = dataset.filter(lambda bucket, example: tf.logical_and(bucket >= 0, bucket < 2))
dataset = dataset.apply(tf.data.experimental.group_by_window(
    lambda bucket, example: tf.cast(bucket, tf.int64),
    lambda bucket, window: window.padded_batch(2, tf.data.get_output_shapes(window)),
    2))
dataset = dataset.map(lambda bucket, example: (bucket[0], example))
dataset = dataset.prefetch(1)
bucket, batch = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [batch[1], batch[0]]
