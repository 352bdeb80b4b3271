from legacy_towers.compat import tf


def file_queue(files, is_shuffled=False):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=is_shuffled)
    return queue


def line_queue(paths):
    return tf.train.string_input_producer(paths, num_epochs=1, shuffle=False)


def parse(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]


def batches(queue, size):
    print(queue)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return tf.train.batch([number, label], batch_size=size)


def inputs(files, size):
    queue = file_queue(files)
    print(queue)
    values = parse(queue)
    return tf.train.batch([values], batch_size=size)


lines = line_queue(CSV)
FETCHED = [inputs(FILES, 3), batches(lines, 2)]
