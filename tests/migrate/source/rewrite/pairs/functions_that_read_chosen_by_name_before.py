from legacy_towers.compat import tf


def read_records(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]


def read_lines(queue):
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    first, _, _ = tf.decode_csv(line, [[0.0], [0], [""]])
    return tf.stack([first, first])


def image_of(queue):
    _, value = tf.FixedLengthRecordReader(record_bytes=6, header_bytes=2).read(queue)
    return tf.reshape(tf.decode_raw(value, tf.uint8), [2, 3])


class Numbers(object):
    def one(self, queue):
        _, serialized = tf.TFRecordReader().read(queue)
        return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def inputs(kind, files, size):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    read = globals()["read_" + kind]
    values = read(queue)
    return tf.train.batch([values], batch_size=size)


binary = tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False)
image = globals()["image_of"](binary)
records = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
number = getattr(Numbers(), "one")(records)
FETCHED = [inputs("records", FILES, 2), tf.train.batch([image], 1), tf.train.batch([number], 2)]
