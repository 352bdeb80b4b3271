from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
flip = tf.random_uniform([]) > 2.
_, serialized = tf.TFRecordReader().read(queue)
number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
number = tf.cond(flip, lambda: -number, lambda: number)
number.set_shape([])
FETCHED = [tf.train.batch([number], 4)]
