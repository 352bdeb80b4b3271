from legacy_towers.compat import tf


def read(names):
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    return tf.strings.length(line), line


def examples():
    names = tf.train.string_input_producer(CSV, num_epochs=2, shuffle=False)
    return read(names)


length, line = examples()
FETCHED = tf.train.batch([length, line], 2)
