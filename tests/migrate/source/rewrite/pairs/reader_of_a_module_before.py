from legacy_towers.compat import tf

line_reader = tf.TextLineReader()


def batches(names, size):
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    _, line = line_reader.read(queue)
    return tf.train.batch([line], size)


FETCHED = batches(CSV, 4)
