from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, records = tf.TFRecordReader().read_up_to(queue, 5)
batch = tf.train.batch([records], 4, enqueue_many=True, allow_smaller_final_batch=True)
FETCHED = [tf.parse_example(batch, {"id": tf.FixedLenFeature([], tf.int64)})["id"]]
