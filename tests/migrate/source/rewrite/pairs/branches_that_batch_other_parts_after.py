from legacy_towers.compat import tf


def batches(files, with_values):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        number = features["id"]
        values = tf.identity(features["x"])
        return number, values

    dataset = dataset.map(parse)
    if with_values:
        dataset = dataset.batch(4, drop_remainder=True)
        numbers, all_values = tf.data.make_one_shot_iterator(dataset).get_next()
        return numbers, all_values
    else:
        dataset = dataset.map(lambda number, values: number)
        dataset = dataset.batch(4, drop_remainder=True)
        numbers = tf.data.make_one_shot_iterator(dataset).get_next()
        return numbers


FETCHED = [batches(FILES, True), batches(FILES, False)]
