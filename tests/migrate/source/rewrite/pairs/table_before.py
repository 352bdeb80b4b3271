from legacy_towers.compat import tf

table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["a", "b"]), num_oov_buckets=1)
queue = tf.train.string_input_producer(CSV, shuffle=False, num_epochs=1)
_, line = tf.TextLineReader(skip_header_lines=1).read(queue)
_, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
ids = table.lookup(label)
FETCHED = [tf.train.batch([ids], 4)]
INITIALIZER = tf.tables_initializer
