from legacy_towers.compat import tf


def read(files, train):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        if train:
            number = tf.add(number, 100)
        return number, tf.multiply(number, 2)

    dataset = dataset.map(parse)
    return dataset


dataset = read(FILES, True)
dataset_2 = read(FILES[:1], False)
dataset = dataset.batch(2, drop_remainder=True)
a_batch, a_twice_batch = tf.data.make_one_shot_iterator(dataset).get_next()
dataset_2 = dataset_2.batch(3, drop_remainder=True)
b_batch, b_twice_batch = tf.data.make_one_shot_iterator(dataset_2).get_next()
FETCHED = [a_batch, a_twice_batch, b_batch, b_twice_batch]
