from legacy_towers.compat import tf

filename_queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(filename_queue)
features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
number, half = features["id"], tf.to_float(features["id"]) / 2.0
queue = tf.FIFOQueue(30, dtypes=(number.dtype, half.dtype))
enqueue = queue.enqueue((number, half))
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
(number, half) = queue.dequeue()
FETCHED = tf.reshape(tf.to_float(number) + half, [])
