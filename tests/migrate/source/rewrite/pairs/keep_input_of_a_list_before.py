from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
features = tf.parse_single_example(
    serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
is_odd = tf.equal(features["id"] % 2, 1)
FETCHED = tf.train.maybe_batch_join([[features["id"], features["x"]]], is_odd, batch_size=4,
                                    allow_smaller_final_batch=True)
