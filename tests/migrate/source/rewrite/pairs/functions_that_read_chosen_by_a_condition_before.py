from legacy_towers.compat import tf


def read_records(queue):
    _, record = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], features["id"] + 1


def read_lines(queue):
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    _, number, _ = tf.decode_csv(line, [[0.], [0], [""]])
    number = tf.cast(number, tf.int64)
    return number, number + 2


def batches(files, has_lines):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    if has_lines:
        first, second = read_lines(queue)
    else:
        first, second = read_records(queue)
    return tf.train.batch([first, second], 3)


FETCHED = batches(CSV, True)
