from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
pair = tf.stack([number, -number])
FETCHED = [tf.train.batch([pair], 3, enqueue_many=True, allow_smaller_final_batch=True)]
