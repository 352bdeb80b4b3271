from legacy_towers.compat import tf

PARAMS = {"label_bytes": 2, "height": 2, "width": 2}


def read(record, header):
    size = PARAMS["label_bytes"] + PARAMS["height"] * PARAMS["width"]
    values = tf.decode_raw(record, tf.uint8)
    values.set_shape([size])
    return values


HEADER = {"bytes": 2}
dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.flat_map(
    lambda filename: tf.data.FixedLengthRecordDataset(filename, PARAMS["label_bytes"] + PARAMS["height"] * PARAMS["width"], header_bytes=HEADER["bytes"]))
dataset = dataset.map(lambda record: read(record, HEADER))
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
