from legacy_towers.compat import tf

records = tf.train.string_input_producer(FILES, shuffle=False)
lines = tf.train.string_input_producer(CSV, shuffle=False, num_epochs=1)
_, record = tf.TFRecordReader().read(records)
_, line = tf.TextLineReader(skip_header_lines=1).read(lines)
number = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
numbers = tf.train.batch([number], 4)
FETCHED = [numbers, tf.train.batch([a, label], 4)]
