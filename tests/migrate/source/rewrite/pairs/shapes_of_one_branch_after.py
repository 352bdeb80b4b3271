from legacy_towers.compat import tf


def batches(files, size, pads):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.repeat(2)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(record):
        features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64),
                                                    "raw": tf.FixedLenFeature([], tf.string)})
        number = features["id"]
        raw = tf.decode_raw(features["raw"], tf.uint8)
        return raw, number

    dataset = dataset.map(parse)
    if pads:
        dataset = dataset.padded_batch(size, tf.data.get_output_shapes(dataset), drop_remainder=True)
        raws, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        # All have three bytes.
        dataset = dataset.map(lambda raw, number: (tf.ensure_shape(raw, (3,)), tf.ensure_shape(number, ())))
        dataset = dataset.batch(size, drop_remainder=True)
        raws, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
    return raws, numbers


FETCHED = [batches(FILES, 4, True), batches(FILES[:1], 3, False)]
