from legacy_towers.compat import tf

# The files, in order.
filename_queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=2)
reader = tf.TFRecordReader()
_, serialized = reader.read(filename_queue)
features = tf.parse_single_example(serialized, {
    "id": tf.FixedLenFeature([], tf.int64),  # its number
    "x": tf.FixedLenFeature([2], tf.float32),
})
# Twice as much.
x = features["x"] * 2.
ids, xs = tf.train.batch([features["id"], x], batch_size=4, capacity=20)
FETCHED = [ids, xs]
