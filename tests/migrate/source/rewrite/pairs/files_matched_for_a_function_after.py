from legacy_towers.compat import tf


def inputs(files, size):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.repeat(2)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return number

    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


files = tf.matching_files(FOLDER + "/*.tfrecord")
FETCHED = [inputs(files, 5)]
