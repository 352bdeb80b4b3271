from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, records = tf.TFRecordReader().read_up_to(queue, 5)
features = tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})
FETCHED = [tf.train.batch([features["id"], -features["id"]], 4, enqueue_many=True)]
