from legacy_towers.compat import tf

IS_TEXT = True
queue = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)
# Lines of text, or records.
reader = tf.TextLineReader(skip_header_lines=1) if IS_TEXT else tf.TFRecordReader()
_, value = reader.read(queue)
FETCHED = tf.train.batch([value, tf.string_to_hash_bucket_fast(value, 100)], 3, allow_smaller_final_batch=True)
