from legacy_towers.compat import tf


def examples(files, is_training, size):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(record):
        features = tf.parse_single_example(
            record, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        number = tf.reshape(features["id"], [1])
        pair = tf.expand_dims(features["x"], 0)
        return number, pair

    if is_training:
        dataset = dataset.map(parse)
        dataset = dataset.unbatch()
        dataset = dataset.shuffle(20)
        dataset = dataset.batch(size, drop_remainder=True)
        (number, pair) = tf.data.make_one_shot_iterator(dataset).get_next()
    elif size > 1:
        with tf.name_scope("batch"):
            dataset = dataset.map(parse)
            dataset = dataset.unbatch()
            dataset = dataset.batch(size, drop_remainder=True)
            (number, pair) = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        record = tf.data.make_one_shot_iterator(dataset).get_next()
        (number, pair) = parse(record)
    number.set_shape([size])
    return {"number": number, "pair": pair}


FETCHED = examples(FILES, False, 3), examples(FILES, False, 1)
