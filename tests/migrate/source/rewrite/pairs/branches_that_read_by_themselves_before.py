from legacy_towers.compat import tf


def values_of(kind, size):
    if kind == "records":
        queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
        reader = tf.TFRecordReader()
        _, serialized = reader.read(queue)
        values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
        depth = 1
    elif kind == "lines":
        queue = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(queue)
        first, _, _ = tf.decode_csv(line, [[0.0], [0], [""]])
        values = tf.stack([first, first])
        depth = 2
    else:
        raise ValueError(kind)
    values = values * 2.0
    values.set_shape([2])
    return tf.train.batch([values, values + depth], batch_size=size)


def batches_of(kind, size):
    if kind == "records":
        queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
        _, serialized = tf.TFRecordReader().read(queue)
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        numbers = tf.train.batch([number], batch_size=size)
    else:
        queue = tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False)
        _, value = tf.FixedLengthRecordReader(6, header_bytes=2).read(queue)
        number = tf.decode_raw(value, tf.uint8)[0]
        numbers = tf.train.batch([number], batch_size=size)
    return tf.to_float(numbers) + 1.0


FETCHED = [values_of("records", 2), values_of("lines", 1), batches_of("records", 2), batches_of("binary", 1)]
