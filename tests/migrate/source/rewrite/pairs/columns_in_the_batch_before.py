from legacy_towers.compat import tf

queue = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)
_, line = tf.TextLineReader(skip_header_lines=True).read(queue)
FETCHED = tf.train.batch(tf.decode_csv(line, [[0.0], [0], [""]]), batch_size=3, allow_smaller_final_batch=True)
