from legacy_towers.compat import tf


def batches(filename_queue, size, with_header=True):
    reader = tf.TextLineReader(skip_header_lines=1 if with_header else 0)
    _, line = reader.read(filename_queue)
    columns = tf.decode_csv(line, [[0.], [0], ['']])
    point = tf.stack([columns[0], tf.cast(columns[1], tf.float32)])
    return tf.train.batch([point, columns[2]], size)


def train(size):
    names = tf.train.string_input_producer(CSV, num_epochs=3, shuffle=False)
    return batches(names, size)


def test(size):
    return batches(size=size, filename_queue=tf.train.string_input_producer(CSV[1:], num_epochs=4, shuffle=False))


FETCHED = [train(3), test(2)]
