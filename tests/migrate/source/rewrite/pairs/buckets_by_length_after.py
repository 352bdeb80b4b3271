from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    n = tf.to_int32(tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
    numbers = tf.range(n)
    return n, (numbers, tf.reduce_sum(numbers))


dataset = dataset.map(parse)
dataset = dataset.apply(tf.data.experimental.group_by_window(
    lambda length, example: tf.reduce_sum(tf.cast(length >= [4, 8], tf.int64)),
    lambda bucket, window: window.padded_batch(
        2, tf.data.get_output_shapes(window), drop_remainder=True),
    2))
dataset = dataset.prefetch(1)
lengths, (batch, sums) = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [lengths, batch, sums]
