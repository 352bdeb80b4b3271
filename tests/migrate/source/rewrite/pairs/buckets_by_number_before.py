from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
n = tf.to_int32(tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"])
# Numbers of the buckets 0 and 1; those from 8 are left out.
number = n // 4
bucket, batch = tf.contrib.training.bucket([tf.range(n), n * 2], number, 2, num_buckets=2, dynamic_pad=True,
                                           allow_smaller_final_batch=True)
FETCHED = [batch[1], batch[0]]
