from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
n = tf.to_int32(tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
numbers = tf.range(n)
lengths, (batch, sums) = tf.contrib.training.bucket_by_sequence_length(
    n, [numbers, tf.reduce_sum(numbers)], batch_size=2, bucket_boundaries=[4, 8], capacity=20,
    dynamic_pad=True)
FETCHED = [lengths, batch, sums]
