from legacy_towers.compat import tf

names = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
features = tf.io.parse_single_example(tf.TFRecordReader().read(names)[1], {'id': tf.io.FixedLenFeature([], tf.int64)})
number = features['id'] + 1
FETCHED = tf.train.batch([number], 2)
