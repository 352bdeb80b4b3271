from legacy_towers.compat import tf


def read_records(queue):
    _, record = tf.TFRecordReader().read(queue)
    return {"n": tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]}


def read_lines(queue):
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    number = tf.decode_csv(line, [[0.], [0], [""]])[1]
    return {"n": tf.cast(number, tf.int64)}


READERS = {"records": read_records, "lines": read_lines}


def batches(files, kind):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    example = READERS[kind](queue)
    return tf.train.batch(example, 3)


FETCHED = batches(FILES, "records")
