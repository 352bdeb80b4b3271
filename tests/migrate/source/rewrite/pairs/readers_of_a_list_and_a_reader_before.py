from legacy_towers.compat import tf


def read(queue):
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    x, number, _ = tf.decode_csv(line, [[0.0], [0], [""]])
    return x * 2.0, number


def joined(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    examples = [read(queue) for _ in range(2)]
    return tf.train.batch_join(examples, 2)


x, number = joined(CSV[:1])

# One file, in order.
test_queue = tf.train.string_input_producer(CSV[:1], num_epochs=2, shuffle=False)
test_x, test_number = read(test_queue)
test = tf.train.batch([test_x, test_number], 2)
FETCHED = [x, number, test]
