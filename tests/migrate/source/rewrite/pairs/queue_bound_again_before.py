from legacy_towers.compat import tf


def batches(queue, size):
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
    a, label = tf.train.batch([a, label], size)
    return a, label


queue = tf.train.string_input_producer(CSV, num_epochs=2, shuffle=False)
train_a, train_label = batches(queue, 4)

queue = tf.train.string_input_producer(CSV[:1], num_epochs=4, shuffle=False)
test_a, test_label = batches(queue, 4)

queue = tf.train.string_input_producer(FILES, num_epochs=2, shuffle=False)
reader = tf.TFRecordReader()
_, record = reader.read(queue)
number = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
numbers = tf.train.batch([number], 4)
queue = tf.train.string_input_producer(FILES[:1], shuffle=False)
reader = tf.TFRecordReader()
_, record = reader.read(queue)
x = tf.parse_single_example(record, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
FETCHED = [train_a, train_label, test_a, test_label, numbers, tf.train.batch([x], 4)]
