from legacy_towers.compat import tf


def lines(first):
    queue = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)
    key, line = tf.TextLineReader(skip_header_lines=first).read(queue)
    columns = tf.decode_csv(line, [[0.], [0], [""]])
    return tf.train.batch([key, columns[1]], 2)


def records():
    reader = tf.FixedLengthRecordReader(6, header_bytes=2)
    key, value = reader.read(tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False))
    number = tf.decode_raw(value, tf.uint8)
    number.set_shape([6])
    return tf.train.batch([number, key], 2)


FETCHED = lines(1) + records()
