from legacy_towers.compat import tf


def parse(queue, reader, columns):
    _, line = reader.read(queue)
    return tf.decode_csv(line, [[""]] * columns)[0]


def batches(names, skipped):
    reader = tf.TextLineReader(skip_header_lines=skipped)
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    first = parse(queue, reader=reader, columns=3)
    return tf.train.batch([first], 4)


FETCHED = batches(CSV, skipped=1)
