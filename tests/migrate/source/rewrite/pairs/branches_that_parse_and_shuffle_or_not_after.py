from legacy_towers.compat import tf


def batches(files, with_values, shuffle):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    if not with_values:
        def parse(serialized):
            features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
            number = features["id"]
            return number

        dataset = dataset.map(parse)
        if shuffle:
            dataset = dataset.shuffle(20)
            dataset = dataset.batch(4, drop_remainder=True)
            numbers = tf.data.make_one_shot_iterator(dataset).get_next()
        else:
            dataset = dataset.batch(4, drop_remainder=True)
            numbers = tf.data.make_one_shot_iterator(dataset).get_next()
        return numbers
    else:
        def parse(serialized):
            features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
            number = features["id"]
            values = features["x"] / 2
            return number, values

        dataset = dataset.map(parse)
        if shuffle:
            dataset = dataset.shuffle(20)
            dataset = dataset.batch(4, drop_remainder=True)
            numbers, all_values = tf.data.make_one_shot_iterator(dataset).get_next()
        else:
            dataset = dataset.batch(4, drop_remainder=True)
            numbers, all_values = tf.data.make_one_shot_iterator(dataset).get_next()
        return numbers, all_values


FETCHED = [batches(FILES, False, False), batches(FILES, True, False)]
