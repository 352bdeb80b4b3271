from legacy_towers.compat import tf

PARAMS = {"label_bytes": 2, "height": 2, "width": 2}


def read(queue, header):
    size = PARAMS["label_bytes"] + PARAMS["height"] * PARAMS["width"]
    _, record = tf.FixedLengthRecordReader(size, header_bytes=header["bytes"]).read(queue)
    values = tf.decode_raw(record, tf.uint8)
    values.set_shape([size])
    return values


HEADER = {"bytes": 2}
queue = tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False)
values = read(queue, HEADER)
FETCHED = tf.train.batch([values], 2)
