from legacy_towers.compat import tf


def batches(files, is_training):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.repeat(2)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(record):
        example = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64),
                                                   "x": tf.FixedLenFeature([2], tf.float32)})
        x = example["x"]
        number = tf.squeeze(example["id"])
        return x, number

    dataset = dataset.map(parse)
    if is_training:
        def parse(x, number):
            half = x * 0.5
            half = tf.reshape(half, [1, 2])
            return number, half

        dataset = dataset.map(parse)
        dataset = dataset.batch(4, drop_remainder=True)
        number, half = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        def parse(x, number):
            half = tf.slice(x, [1], [1])
            return number, half

        dataset = dataset.map(parse)
        dataset = dataset.batch(4)
        number, half = tf.data.make_one_shot_iterator(dataset).get_next()
    return {"number": number, "half": half}


FETCHED = [batches(FILES, True), batches(FILES, False)]
