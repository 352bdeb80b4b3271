from legacy_towers.compat import tf


def read(queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return a, label


train_queue = tf.train.string_input_producer(CSV, num_epochs=2, shuffle=False)
test_queue = tf.train.string_input_producer(CSV[:1], num_epochs=4, shuffle=False)
train_a, train_label = read(train_queue)
test_a, test_label = read(test_queue)
# Batches of training.
train = tf.train.batch([train_a, train_label], 4)
# Batches of the test.
test = tf.train.batch([test_a, test_label], 4)
FETCHED = [train, test]
