from legacy_towers.compat import tf


def batches(files, size, pads):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64),
                                                "raw": tf.FixedLenFeature([], tf.string)})
    number = features["id"]
    raw = tf.decode_raw(features["raw"], tf.uint8)
    if pads:
        raws, numbers = tf.train.batch([raw, number], size, dynamic_pad=True)
    else:
        # All have three bytes.
        raws, numbers = tf.train.batch([raw, number], size, shapes=[(3,), ()])
    return raws, numbers


FETCHED = [batches(FILES, 4, True), batches(FILES[:1], 3, False)]
