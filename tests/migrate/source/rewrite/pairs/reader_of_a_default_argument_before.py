from legacy_towers.compat import tf

READER = tf.TextLineReader(skip_header_lines=1)


def parse(queue, columns=3, reader=READER):
    line = reader.read(queue)[1]
    return tf.decode_csv(line, [[""]] * columns)


queue = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)
a, _, label = parse(queue)
FETCHED = tf.train.batch([a, label], 4)
