from legacy_towers.compat import tf

queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=2)
reader = tf.TFRecordReader()
_, records = reader.read_up_to(queue, num_records=4)
ids = tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
FETCHED = [ids]
