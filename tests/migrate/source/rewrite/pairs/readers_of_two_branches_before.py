from legacy_towers.compat import tf


def batches(files, kind):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    # Two formats.
    if kind == "text":
        reader = tf.TextLineReader(skip_header_lines=1)
    else:
        reader = tf.FixedLengthRecordReader(6, header_bytes=2)
    _, value = reader.read(queue)
    return tf.train.batch([value], 2, allow_smaller_final_batch=True)


FETCHED = batches(BINARY, "binary")
