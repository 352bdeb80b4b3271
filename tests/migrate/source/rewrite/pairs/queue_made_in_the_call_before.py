from legacy_towers.compat import tf


def read(names):
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(names)
    columns = tf.decode_csv(line, [[0.], [0], ['']])
    return tf.stack([columns[0], tf.cast(columns[1], tf.float32)]), columns[2]


point, label = read(tf.train.string_input_producer(CSV, num_epochs=2, shuffle=False))
FETCHED = tf.train.batch([point, label], 3, allow_smaller_final_batch=True)
