from legacy_towers.compat import tf


def read(serialized):
    return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]


def file_queue(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    return dataset


def batches(dataset, size):
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        values = read(serialized)
        doubled = values * 2.0
        print("one: {}".format(doubled.get_shape().as_list()))
        return values, doubled

    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    batch, doubled_batch = tf.data.make_one_shot_iterator(dataset).get_next()
    print("many:", batch)
    return batch, doubled_batch


if __name__ != "module":
    dataset = file_queue(FILES)
    FETCHED = [batches(dataset, 4)]
    dataset_2 = tf.data.Dataset.from_tensor_slices(FILES)
    dataset_2 = dataset_2.repeat()
    dataset_2 = dataset_2.flat_map(tf.data.TFRecordDataset)
    serialized = tf.data.make_one_shot_iterator(dataset_2).get_next()
    single = read(serialized)
