from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
pairs = tf.stack([tf.range(number), tf.range(number)], axis=1)
padding = tf.PaddingFIFOQueue(20, [tf.int64, tf.int64], shapes=[(None, 2), ()])
enqueue = padding.enqueue([pairs, number])
tf.train.add_queue_runner(tf.train.QueueRunner(padding, [enqueue]))
FETCHED = padding.dequeue_many(4)
