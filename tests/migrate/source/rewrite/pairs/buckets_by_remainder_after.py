from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)
BUCKETS = 3


def parse(serialized):
    n = tf.to_int32(tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
    return tf.mod(n, BUCKETS), n, n < 9


dataset = dataset.map(parse)
dataset = dataset.filter(lambda bucket, example, keep: keep)
dataset = dataset.map(lambda bucket, example, keep: (bucket, example))
dataset = dataset.apply(tf.data.experimental.group_by_window(
    lambda bucket, example: tf.cast(bucket, tf.int64),
    lambda bucket, window: window.batch(2, drop_remainder=True),
    2))
dataset = dataset.map(lambda bucket, example: (bucket[0], example))
dataset = dataset.prefetch(1)
bucket, batch = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [batch, batch + bucket]
