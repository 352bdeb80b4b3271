from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "raw": tf.FixedLenFeature([], tf.string)})
raw = tf.decode_raw(features["raw"], tf.uint8)
FETCHED = tf.train.batch([raw, features["id"]], 4, shapes=[[3], []])
