from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
n = tf.to_int32(tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
BUCKETS = 3
bucket, batch = tf.contrib.training.bucket(
    [n], tf.mod(n, BUCKETS), batch_size=2, num_buckets=BUCKETS, keep_input=n < 9, num_threads=1)
FETCHED = [batch, batch + bucket]
