from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
FETCHED = tf.train.maybe_shuffle_batch_join([[number, number * 2]] * 2, 3, 10, 4, tf.equal(number % 3, 1),
                                            allow_smaller_final_batch=True)
