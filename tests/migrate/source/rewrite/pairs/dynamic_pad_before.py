from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
n = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
FETCHED = tf.train.batch([tf.range(n), n], batch_size=3, dynamic_pad=True, allow_smaller_final_batch=True)
