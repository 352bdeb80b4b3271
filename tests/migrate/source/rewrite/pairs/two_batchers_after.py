from legacy_towers.compat import tf


def inputs(shuffle):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    if shuffle:
        dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return number

    dataset = dataset.map(parse)
    if shuffle:
        dataset = dataset.shuffle(30)
        dataset = dataset.batch(4, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()
    dataset = dataset.batch(4, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = [tf.concat([inputs(False), inputs(True)], 0)]
